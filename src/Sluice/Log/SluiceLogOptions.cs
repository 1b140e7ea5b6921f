using System.IO.Compression;

namespace Sluice;

/// <summary>
/// How a <see cref="SluiceLog"/> writes. Read once, when the log is opened. Sizes are in bytes. Immutable, and therefore thread-safe.
/// </summary>
public sealed class SluiceLogOptions
{
    /// <summary>How the files look; files of the other format in the folder are not this log's, and stay as they are.</summary>
    public LogFormat Format { get; init; } = LogFormat.Framed;

    /// <summary>What an append without a durability of its own waits for.</summary>
    public LogDurability Durability { get; init; } = LogDurability.Written;

    /// <summary>A segment that has reached this size is followed by another one; a frame is not divided. 256 MiB.</summary>
    public long SegmentBytes { get; init; } = 256L * 1024 * 1024;

    /// <summary>
    /// A segment whose first record is older than this is followed by another one; null for no limit. Of a raw log: a file that has
    /// something, and was made longer ago than this (where the file system does not say when a file was made, since its last write when it
    /// was opened); names can do it as well, <see cref="FileNamePattern"/>.
    /// </summary>
    public TimeSpan? SegmentAge { get; init; }

    /// <summary>The longest record, or batch of records with 4 bytes for each; 1 MiB - 4 KiB. Less than 1 GiB - 4 KiB.</summary>
    public int MaxRecordBytes { get; init; } = (1024 * 1024) - 4096;

    /// <summary>Memory for records that are not written yet; two pages of <see cref="MaxRecordBytes"/> at least. 16 MiB.</summary>
    public int BufferBytes { get; init; } = 16 * 1024 * 1024;

    /// <summary>
    /// Which memory that is. With <see cref="LogMemory.Shared"/> an append that waits for <see cref="LogDurability.Written"/> waits for no
    /// system call, and readers see its record when it was written to the file: after <see cref="FlushInterval"/>, or by
    /// <see cref="SluiceLog.Flush"/>. Where there is none to be had <see cref="SluiceLog.MemoryReason"/> says why, and the log has the
    /// process's own. Framed logs only.
    /// </summary>
    public LogMemory Memory { get; init; } = LogMemory.Process;

    /// <summary>
    /// Whether an append that finds <see cref="BufferBytes"/> full waits until some of it is written (true), or throws an
    /// <see cref="IOException"/> and is not in the log (false). Likewise where 32 full segments wait to be on the disk.
    /// </summary>
    public bool WaitWhenFull { get; init; } = true;

    /// <summary>
    /// At most about so many bytes of buffered records wait before they are written, even if nobody asks. It is a bound and no delay: what
    /// somebody waits for is written at once, and so is a full page, which <see cref="MaxRecordBytes"/> gives its size: more than that is
    /// the same as that. 5 MiB.
    /// </summary>
    public int FlushBytes { get; init; } = 5 * 1024 * 1024;

    /// <summary>A buffered record is written after at most about this time, and after twice it at the latest. 200 ms.</summary>
    public TimeSpan FlushInterval { get; init; } = TimeSpan.FromMilliseconds(200);

    /// <summary>
    /// Whether the space of a segment is reserved when it is made. On ext4 and xfs zeros are written there ahead of small records that are
    /// made durable often, which makes syncs cheaper. Framed logs only.
    /// </summary>
    public bool Preallocate { get; init; } = true;

    /// <summary>
    /// The oldest segments are removed while there are more than this; null for no limit. The one that is written stays, and those that
    /// are not on the disk yet: a few more may be there while much is appended.
    /// </summary>
    public int? RetainSegments { get; init; }

    /// <summary>
    /// The oldest segments are removed while those that are not written any more are together larger than this; the one that is written is
    /// not counted. Null for no limit.
    /// </summary>
    public long? RetainBytes { get; init; }

    /// <summary>
    /// Segments whose last record is older than this are removed; null for no limit. While the log is open that is looked at when it is
    /// opened, when a segment is full, and eight times within this time, but once a second at most and every ten minutes at least.
    /// </summary>
    public TimeSpan? RetainAge { get; init; }

    /// <summary>
    /// How the files of a raw log are called, such as "app-{date:yyyyMMdd}-{id}.log"; null for "{id}.log". Framed logs have names of their
    /// own.
    /// </summary>
    /// <remarks>
    /// {id} is the file's number, ten to eighteen digits, and must be there once. {date:yyyyMMddHHmmss} is the time (UTC) at which the
    /// file was made; it may end after each unit and have one of "-", "_" and "." between two of them, and when its last unit is over the
    /// next record goes to a new file. Names are in the order in which the files were made, also where the clock was set back. What is not
    /// called exactly so is not the log's: several logs with different patterns may share a folder.
    /// </remarks>
    public string? FileNamePattern { get; init; }

    /// <summary>
    /// How full segments are compressed (gzip), by a thread of its own behind everybody's back; NoCompression: they stay as they are.
    /// </summary>
    /// <remarks>
    /// A segment that was compressed has ".gz" behind its name, counts for retention with the size that it has then, and is read by
    /// <see cref="SluiceLogReader"/> and by gzip. A crash leaves it compressed or as it was; opening the log removes what is half. Those
    /// that are full when the log is opened are compressed as well. Raw logs: on Linux alone, and once no process has the file open.
    /// </remarks>
    public CompressionLevel Compression { get; init; } = CompressionLevel.NoCompression;

    /// <summary>
    /// Whether a log is opened whose end was lost although it had been acknowledged as durable: it is cut to what is whole. False: opening
    /// it throws a <see cref="SluiceLogDamagedException"/>, and nothing is changed. A segment that is missing in the midst is an error in
    /// either case: what comes before it is to be moved away first.
    /// </summary>
    public bool AcceptLoss { get; init; }

    /// <summary>Whether the log is disposed when the process ends in an orderly way without having done so
    /// (AppDomain.ProcessExit).</summary>
    public bool DisposeOnProcessExit { get; init; }

    /// <summary>Permissions of files that are made, subject to the umask; null for .NET's own. Ignored on Windows.</summary>
    public UnixFileMode? UnixCreateMode { get; init; }

    /// <summary>For tests: told before each step of compressing a segment what comes.</summary>
    internal Action<string>? CompressionStep { get; init; }

    /// <summary>The engine of the segments' handles, for tests; null for the process's own.</summary>
    public IoEngine? Engine { get; init; }
}
