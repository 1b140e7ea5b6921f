namespace Sluice.Cli.Programs.Methods;

/// <summary>Parsers that sum up the lines they find.</summary>
internal static class LineParsing
{
    public static LineParser<byte> OfBytes(Checksum sum) => new((byte)'\n', (byte)'\r', sum.AddLine);

    public static LineParser<char> OfChars(Checksum sum) => new('\n', '\r', sum.AddLine);
}
