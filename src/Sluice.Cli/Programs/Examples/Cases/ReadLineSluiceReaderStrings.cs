namespace Sluice.Cli.Programs.Examples.Cases;

/// <summary>
/// Reads a text file line by line with SluiceReader, as strings of any encoding (UTF-8 by default).
/// For code that wants strings; the lines are those of File.ReadLines.
/// </summary>
internal static class ReadLineSluiceReaderStrings
{
    public static void Run(string path, Checksum seen)
    {
        using var reader = new SluiceReader(path);
        foreach (string line in reader.ReadStringLines())
            seen.AddLine(line);                                     // your code stands here
    }
}
