using Sluice.Cli.Load;

namespace Sluice.Cli.Programs.Methods;

/// <summary>The static methods that read a file in one call, and BinaryReader.</summary>
internal static class FileReadMethods
{
    public static IReadOnlyList<Method> All { get; } =
    [
        Method.Reading("File.ReadAllLines", IoSide.Bcl, ResultKind.Lines, i => MethodResult.Lines(File.ReadAllLines(i.Path))),
        Method.Reading("File.ReadAllText", IoSide.Bcl, ResultKind.Text, i => MethodResult.Text(File.ReadAllText(i.Path).AsMemory())),
        Method.Reading("File.ReadAllBytes", IoSide.Bcl, ResultKind.Bytes, i => MethodResult.Bytes(File.ReadAllBytes(i.Path))),
        Method.Reading("BinaryReader.Read", IoSide.Bcl, ResultKind.Text, ReadWithBinaryReader),
    ];

    /// <summary>One call gives what one read of the file gave: all of it takes several.</summary>
    public static MethodResult Fill(char[] chars, Func<char[], int, int, int> read)
    {
        int total = 0;
        int got;
        while (total < chars.Length && (got = read(chars, total, chars.Length - total)) > 0)
            total += got;
        return MethodResult.Text(chars.AsMemory(0, total));
    }

    private static MethodResult ReadWithBinaryReader(MethodInput input)
    {
        using var reader = new BinaryReader(new FileStream(input.Path, FileMode.Open, FileAccess.Read));
        return Fill(input.Chars, reader.Read);
    }
}
