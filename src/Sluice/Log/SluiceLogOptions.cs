using System.IO.Compression;

namespace Sluice;

/// <summary>Provides options for a <see cref="SluiceLog"/>.</summary>
/// <remarks>
/// The options are read and checked once, by <see cref="SluiceLog.Open"/>, which throws an <see cref="ArgumentException"/> for a value
/// that is not valid. Instances are immutable and therefore thread-safe.
/// </remarks>
public sealed class SluiceLogOptions
{
    /// <summary>Gets the format of the log's files. Files of the other format in the same directory are not part of the log.</summary>
    /// <value>The default is <see cref="LogFormat.Framed"/>.</value>
    public LogFormat Format { get; init; } = LogFormat.Framed;

    /// <summary>Gets the durability that an append waits for if the call does not specify one.</summary>
    /// <value>The default is <see cref="LogDurability.Written"/>.</value>
    public LogDurability Durability { get; init; } = LogDurability.Written;

    /// <summary>Gets the size at which a new segment is started, in bytes.</summary>
    /// <value>The default is 268,435,456 (256 MiB). The minimum is 4,096.</value>
    /// <remarks>
    /// <para>
    /// A segment of a framed log can be larger in three cases. A group of records that is written together (a frame) can itself be larger.
    /// When a segment is closed, an index is appended to it. After a failed sync, the log can write several segments again as one.
    /// </para>
    /// <para>A file of a raw log can exceed this size by one write.</para>
    /// </remarks>
    public long SegmentBytes { get; init; } = 256L * 1024 * 1024;

    /// <summary>Gets the age at which a new segment is started, even if the current one is not full.</summary>
    /// <value>The default is <see langword="null"/>, which sets no limit. Negative values are not valid.</value>
    /// <remarks>
    /// The age is checked when records are written. In a framed log, it is counted from the first record of the segment. In a raw log,
    /// it is counted from the creation of the file, or, on a file system that does not store the time of creation, from the last change
    /// before the file was opened; a file without content is not replaced. The names of raw files can also limit their age; see
    /// <see cref="FileNamePattern"/>.
    /// </remarks>
    public TimeSpan? SegmentAge { get; init; }

    /// <summary>Gets the maximum size of a record, in bytes.</summary>
    /// <value>The default is 1,044,480 (1 MiB - 4 KiB). The minimum is 1, and the maximum is 1,073,737,727 (1 GiB - 4 KiB - 1).</value>
    /// <remarks>
    /// The limit also applies to a batch of records as a whole. In a framed log, the size of a batch includes 4 bytes for each record
    /// after the first.
    /// </remarks>
    public int MaxRecordBytes { get; init; } = (1024 * 1024) - 4096;

    /// <summary>Gets the size of the memory for records that are not written yet, in bytes.</summary>
    /// <value>The default is 16,777,216 (16 MiB). Negative values are not valid.</value>
    /// <remarks>
    /// The memory is divided into at least 2 and at most 4,096 buffers, each slightly larger than <see cref="MaxRecordBytes"/>.
    /// </remarks>
    public int BufferBytes { get; init; } = 16 * 1024 * 1024;

    /// <summary>Gets the kind of memory that holds records until they are written. Only framed logs can use shared memory.</summary>
    /// <value>The default is <see cref="LogMemory.Process"/>.</value>
    /// <remarks>
    /// <para>
    /// With <see cref="LogMemory.Shared"/>, an append that waits for <see cref="LogDurability.Written"/> does not wait for a system
    /// call. Readers see its record when it is written to the file: after <see cref="FlushInterval"/>, or by
    /// <see cref="SluiceLog.Flush"/>.
    /// </para>
    /// <para>
    /// If shared memory is not available, the log uses memory of the process, and <see cref="SluiceLog.MemoryReason"/> contains the
    /// reason.
    /// </para>
    /// </remarks>
    public LogMemory Memory { get; init; } = LogMemory.Process;

    /// <summary>Gets a value that indicates whether an append waits when there is no space for its record.</summary>
    /// <value>
    /// <see langword="true"/> to wait; <see langword="false"/> to throw an <see cref="IOException"/>, in which case the record is not
    /// in the log. The default is <see langword="true"/>.
    /// </value>
    /// <remarks>
    /// There is no space if all memory of <see cref="BufferBytes"/> waits to be written, or if 32 full segments wait to be made
    /// durable.
    /// </remarks>
    public bool WaitWhenFull { get; init; } = true;

    /// <summary>Gets the number of buffered bytes at which the log writes them although no caller waits for them.</summary>
    /// <value>The default is 5,242,880 (5 MiB). The minimum is 1.</value>
    /// <remarks>
    /// The value is a limit and not a delay: records that a caller waits for are written at once. A full buffer is also written at
    /// once, so a value that is larger than <see cref="MaxRecordBytes"/> has no effect. With the default of
    /// <see cref="MaxRecordBytes"/>, this includes the default of 5 MiB.
    /// </remarks>
    public int FlushBytes { get; init; } = 5 * 1024 * 1024;

    /// <summary>Gets the approximate time after which buffered records are written although no caller waits for them.</summary>
    /// <value>The default is 200 milliseconds. The minimum is 1 millisecond.</value>
    /// <remarks>A record is written after twice this time at the latest.</remarks>
    public TimeSpan FlushInterval { get; init; } = TimeSpan.FromMilliseconds(200);

    /// <summary>
    /// Gets a value that indicates whether the space of a segment is reserved when the segment is created. It applies to framed logs
    /// only.
    /// </summary>
    /// <value>The default is <see langword="true"/>.</value>
    /// <remarks>
    /// On ext4 and XFS, the log also writes zeros ahead of small records that are made durable often, which makes each sync cheaper. If
    /// the space cannot be reserved, the log is written without it.
    /// </remarks>
    public bool Preallocate { get; init; } = true;

    /// <summary>Gets the number of segments to keep. The oldest segments are removed while there are more.</summary>
    /// <value>The default is <see langword="null"/>, which sets no limit. The minimum is 1.</value>
    /// <remarks>
    /// The segment that is being written counts as one and is never removed. Segments that are not durable yet are not removed either,
    /// so there can be more segments for a while when much is appended.
    /// </remarks>
    public int? RetainSegments { get; init; }

    /// <summary>
    /// Gets the total size of the segments to keep, in bytes, not including the segment that is being written. The oldest segments are
    /// removed while the total is larger.
    /// </summary>
    /// <value>The default is <see langword="null"/>, which sets no limit. Negative values are not valid.</value>
    public long? RetainBytes { get; init; }

    /// <summary>
    /// Gets the time for which segments are kept. A segment whose last record is older is removed, unless it is the segment that is
    /// being written.
    /// </summary>
    /// <value>The default is <see langword="null"/>, which sets no limit. Negative values are not valid.</value>
    /// <remarks>
    /// The age is checked when the log is opened, when a segment is full, and at intervals of one eighth of this time span, but of at
    /// least one second and at most ten minutes. In a raw log, the age of a file is counted from its last change.
    /// </remarks>
    public TimeSpan? RetainAge { get; init; }

    /// <summary>Gets the pattern for the file names of a raw log, such as "app-{date:yyyyMMdd}-{id}.log".</summary>
    /// <value>The default is <see langword="null"/>, which stands for "{id}.log". A framed log does not accept a pattern.</value>
    /// <remarks>
    /// <para>
    /// The pattern must not be empty. "{id}" must occur exactly once. It stands for the number of the file, with 10 to 18 digits. No other
    /// braces are allowed except those of "{date:}".
    /// </para>
    /// <para>
    /// "{date:yyyyMMddHHmmss}" can occur once. It stands for the UTC time at which the file was created. The format can be shortened after
    /// any unit ("yyyyMMdd"), and "-", "_" or "." can stand between two units. A new file is started when the shortest unit in the format
    /// changes: every day for "yyyyMMdd".
    /// </para>
    /// <para>
    /// "{id}" and "{date:}" must not be next to each other or to a digit. The pattern must not end with ".gz", ".tmp", ".slog",
    /// ".state", a dot or a space, and must not contain control characters or any of the characters / \ : * ? " &lt; &gt; | (except the
    /// colon of "{date:}"). The longest name, followed by ".gz.tmp", must fit into 255 bytes of UTF-8.
    /// </para>
    /// <para>
    /// The names ascend in the order in which the files were created, even if the system clock is set back. Files whose names do not
    /// match the pattern are not part of the log, so several logs with different patterns can share a directory.
    /// </para>
    /// </remarks>
    public string? FileNamePattern { get; init; }

    /// <summary>
    /// Gets the level at which full segments are compressed with gzip, by a thread that the log has for this purpose.
    /// </summary>
    /// <value>The default is <see cref="CompressionLevel.NoCompression"/>, which leaves the segments as they are.</value>
    /// <remarks>
    /// <para>
    /// The name of a compressed segment ends with ".gz". <see cref="SluiceLogReader"/> reads it if the log is framed, and so does gzip.
    /// Retention counts the compressed size.
    /// </para>
    /// <para>
    /// A crash leaves a segment compressed or as it was; opening the log removes an incomplete copy. Segments that are already full
    /// when the log is opened are compressed, too.
    /// </para>
    /// <para>A raw log can be compressed on Linux only. A file is compressed when no process has it open for appending.</para>
    /// </remarks>
    public CompressionLevel Compression { get; init; } = CompressionLevel.NoCompression;

    /// <summary>
    /// Gets a value that indicates whether the log is opened although records at its end that had been made durable are missing or
    /// damaged.
    /// </summary>
    /// <value>
    /// <see langword="true"/> to remove the damaged end and open the log; <see langword="false"/> to throw a
    /// <see cref="SluiceLogDamagedException"/> and leave the log unchanged. The default is <see langword="false"/>.
    /// </value>
    /// <remarks>
    /// A segment that is missing between two others is an error in either case. Move the segments before the gap to another directory
    /// to open the log.
    /// </remarks>
    public bool AcceptLoss { get; init; }

    /// <summary>
    /// Gets a value that indicates whether the log is disposed when the process exits normally (<see cref="AppDomain.ProcessExit"/>).
    /// </summary>
    /// <value>The default is <see langword="false"/>.</value>
    /// <remarks>An <see cref="IOException"/> that occurs then is ignored.</remarks>
    public bool DisposeOnProcessExit { get; init; }

    /// <summary>
    /// Gets the permissions of files that the log creates, before the umask is applied. The value is ignored on Windows.
    /// </summary>
    /// <value>
    /// The default is <see langword="null"/>, which stands for the default of .NET: read and write permission for everyone, less the
    /// umask.
    /// </value>
    public UnixFileMode? UnixCreateMode { get; init; }

    /// <summary>For tests: told before each step of compressing a segment what comes.</summary>
    internal Action<string>? CompressionStep { get; init; }

    /// <summary>Gets the I/O engine for the files of the segments. It is intended for tests.</summary>
    /// <value>
    /// The default is <see langword="null"/>, which stands for the engine of the current context
    /// (<see cref="IoEngine.UseForCurrentContext"/>) or else <see cref="SluiceEngines.Default"/>.
    /// </value>
    public IoEngine? Engine { get; init; }
}
