namespace Sluice;

/// <summary>Specifies the format of a log's files.</summary>
public enum LogFormat
{
    /// <summary>
    /// Records are stored in frames with sequence numbers, times and checksums, in files named "0000000001.slog" and so on. A
    /// <see cref="SluiceLogReader"/> reads them; docs/log-format.md describes the format.
    /// </summary>
    Framed = 0,

    /// <summary>
    /// The bytes of the records are stored one after another without additions, in files named "0000000001.log" and so on. This format
    /// is for text.
    /// </summary>
    /// <remarks>
    /// <para>
    /// On Linux, several processes can append to the same raw log. On other systems only one process can, because an append first looks
    /// up the end of the file.
    /// </para>
    /// <para>
    /// Nothing is checked or removed when a raw log is opened. If a process is killed, or the disk is full, part of a record can remain
    /// in the file, and the next record, possibly of another process, follows directly behind it.
    /// </para>
    /// </remarks>
    Raw = 1,
}
