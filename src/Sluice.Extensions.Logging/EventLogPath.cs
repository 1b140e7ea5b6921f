namespace Sluice.Extensions.Logging;

/// <summary>The path of an event log: a directory, or the name of its files, as with the file sink of Serilog.</summary>
internal static class EventLogPath
{
    private static readonly string[] s_extensions = [".log", ".txt", ".json", ".jsonl", ".ndjson", ".clef"];

    /// <summary>
    /// Returns the directory of a log and its options. If the path ends with one of the extensions, the files of the log get its name with
    /// the date and a number: "app-.txt" stands for "app-20301231-0000000001.txt", and "app.txt" for "app20301231-0000000001.txt", with a
    /// new file every day. "app2.txt" stands for "app2-20301231-0000000001.txt", since a digit cannot be next to the date.
    /// </summary>
    public static (string Directory, SluiceLogOptions Options) Split(string path, SluiceLogOptions options)
    {
        string extension = Path.GetExtension(path);
        bool isFile = s_extensions.Contains(extension, StringComparer.OrdinalIgnoreCase) && !Directory.Exists(path);
        if (!isFile || options.Format != LogFormat.Raw || options.FileNamePattern is not null)
        {
            return (path, options);
        }

        string name = Path.GetFileNameWithoutExtension(path);
        string separator = name.Length > 0 && char.IsAsciiDigit(name[^1]) ? "-" : "";
        string directory = Path.GetDirectoryName(Path.GetFullPath(path)) ?? path;
        return (directory, options.WithFileNamePattern($"{name}{separator}{{date:yyyyMMdd}}-{{id}}{extension}"));
    }
}
