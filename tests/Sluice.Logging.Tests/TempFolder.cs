using System.Text;
using System.Text.Json;

namespace Sluice.Logging.Tests;

/// <summary>A folder for a log, deleted with all that is in it at the end; and what is in the log.</summary>
internal sealed class TempFolder : IDisposable
{
    public string Root { get; } = Directory.CreateTempSubdirectory("sluice-logging-").FullName;

    /// <summary>Where the log is to be.</summary>
    public string Log => Path.Combine(Root, "log");

    public void Dispose() => Directory.Delete(Root, recursive: true);

    /// <summary>The lines of a raw log; each has an end.</summary>
    public string[] Lines()
    {
        string text = string.Concat(Directory.GetFiles(Log, "*.log").Order(StringComparer.Ordinal).Select(ReadShared));
        (text.Length == 0 || text[^1] == '\n').ShouldBeTrue();
        return text.Split('\n', StringSplitOptions.RemoveEmptyEntries);
    }

    /// <summary>The events of a raw log.</summary>
    public JsonElement[] Events() => [.. Lines().Select(Parse)];

    /// <summary>The records of a framed log as text.</summary>
    public string[] Records()
    {
        using SluiceLogReader reader = new(Log, new SluiceLogReaderOptions { UpTo = LogDurability.Written });
        List<string> records = [];
        foreach (LogEntry entry in reader.Entries)
        {
            records.Add(Encoding.UTF8.GetString(entry.Bytes));
        }

        return [.. records];
    }

    public static JsonElement Parse(string line) => JsonDocument.Parse(line).RootElement;

    private static string ReadShared(string path)
    {
        using StreamReader reader = new(new FileStream(path, FileMode.Open, FileAccess.Read, FileShare.ReadWrite | FileShare.Delete));
        return reader.ReadToEnd();
    }
}
