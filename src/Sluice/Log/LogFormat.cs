namespace Sluice;

/// <summary>How a log's files look.</summary>
public enum LogFormat
{
    /// <summary>
    /// Records with sequences, times and sums, in files "0000000001.slog" and so on: docs/log-format.md. Read by
    /// <see cref="SluiceLogReader"/>.
    /// </summary>
    Framed = 0,

    /// <summary>
    /// The bytes as they were given, one record behind another, in files "0000000001.log" and so on: for text. On Linux several processes
    /// may append to the same folder; elsewhere one, for there an append looks for the file's end first. Nothing is checked or cut when it
    /// is opened: of what a process was writing when it was killed, or the disk was full, a part may stand there, and the next record,
    /// another process's too, right behind it.
    /// </summary>
    Raw = 1,
}
