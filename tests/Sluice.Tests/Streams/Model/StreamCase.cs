namespace Sluice.Tests.Streams;

/// <summary>A pair of streams and what is done to both. Its text can be read back, to bring one failure about again.</summary>
/// <param name="InitialLength">Bytes in the file before it is opened.</param>
internal sealed record StreamCase(StreamConfiguration Configuration, int InitialLength, StreamStep[] Steps)
{
    public override string ToString() => $"{Configuration}:{InitialLength}:{string.Join(' ', Steps)}";

    public static StreamCase Parse(string text)
    {
        string[] parts = text.Split(':');
        return new StreamCase(
            StreamConfiguration.Parse(parts[0]),
            int.Parse(parts[1]),
            [.. parts[2].Split(' ', StringSplitOptions.RemoveEmptyEntries).Select(StreamStep.Parse)]);
    }
}
