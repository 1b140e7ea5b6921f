namespace Sluice;

/// <summary>Specifies the format of a log's files.</summary>
public enum LogFormat
{
    /// <summary>
    /// Records are stored with sequence numbers, times and checksums, in files named "0000000001.slog" and so on. The files can be read
    /// with a <see cref="SluiceLogReader"/>.
    /// </summary>
    Framed = 0,

    /// <summary>
    /// The bytes of the records are stored one after another without additions, in files named "0000000001.log" and so on. This format
    /// is for text.
    /// </summary>
    /// <remarks>
    /// <para>On Linux, several processes can append to the same raw log. On other operating systems, only one process can.</para>
    /// <para>
    /// A raw log is not checked when it is opened. If a process is killed or the disk is full, part of a record can remain in the file. The
    /// next record then directly follows this part.
    /// </para>
    /// </remarks>
    Raw = 1,
}
