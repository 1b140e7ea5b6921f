namespace Sluice.Cli.Programs.Examples.Cases;

/// <summary>
/// Reads a text file line by line with StreamReader.
/// Each line is decoded (UTF-8 here) into a new string.
/// </summary>
internal static class ReadLineStreamReader
{
    public static void Run(string path, Checksum seen)
    {
        using var reader = new StreamReader(path);
        string? line;
        while ((line = reader.ReadLine()) is not null)      // null at the end of the file
            seen.AddLine(line);                             // your code stands here
    }
}
