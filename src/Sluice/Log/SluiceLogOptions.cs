using System.IO.Compression;
using Sluice.Kernel;
using Sluice.Log.Folders;
using Sluice.Log.Frames;

namespace Sluice;

/// <summary>Provides options for a <see cref="SluiceLog"/>.</summary>
/// <remarks>
/// If a value is not valid, <see cref="SluiceLog.Open"/> throws an <see cref="ArgumentException"/>. The options are read once, when the log
/// is opened; a later change has no effect on it. This type is not thread-safe.
/// </remarks>
public class SluiceLogOptions
{
    /// <summary>The maximum number of pages.</summary>
    internal const int MaxPages = 4096;

    private const int MinSegmentBytes = 4096;

    /// <summary>The number of checks within <see cref="RetainAge"/>.</summary>
    private const int ChecksPerAge = 8;

    /// <summary>The minimum number of milliseconds between two checks.</summary>
    private const int MinCheckMs = 1000;

    /// <summary>The maximum number of milliseconds between two checks.</summary>
    private const int MaxCheckMs = 600_000;

    /// <summary>
    /// Gets or sets the format of the log's files. Files of the other format in the same directory are not part of the log.
    /// </summary>
    /// <value>The default is <see cref="LogFormat.Framed"/>.</value>
    public LogFormat Format { get; set; } = LogFormat.Framed;

    /// <summary>Gets or sets the durability that an append waits for if the call does not specify one.</summary>
    /// <value>The default is <see cref="LogDurability.Written"/>.</value>
    public LogDurability Durability { get; set; } = LogDurability.Written;

    /// <summary>Gets or sets the size of a full segment file, in bytes. When a segment file is full, a new one is started.</summary>
    /// <value>The default is 268,435,456 (256 MiB). The minimum is 4,096.</value>
    /// <remarks>
    /// <para>
    /// A segment of a framed log can be larger in two cases: a group of records that is written together (a frame) can itself be larger,
    /// and an index is appended to a segment when it is closed.
    /// </para>
    /// <para>A file of a raw log can exceed this size by one write of each process that appends to it.</para>
    /// <para>If the file system does not allow a file of this size, a new one is started when a write fails for that reason.</para>
    /// </remarks>
    public long SegmentBytes { get; set; } = 256L * 1024 * 1024;

    /// <summary>
    /// Gets or sets the maximum age of the segment file that is being written. When the file is older, a new one is started, even if the
    /// file is not full.
    /// </summary>
    /// <value>The default is <see langword="null"/>, which sets no limit. Negative values are not valid.</value>
    /// <remarks>
    /// The age is checked when records are written. In a framed log, it is counted from the first record of the segment. In a raw log, it
    /// is counted from the creation of the file. If the file system does not store the time of creation, the age is counted from the last
    /// change before the file was opened. An empty file is not replaced. To start a new raw file every day or hour, use
    /// <see cref="FileNamePattern"/>.
    /// </remarks>
    public TimeSpan? SegmentAge { get; set; }

    /// <summary>Gets or sets the maximum size of a record, in bytes.</summary>
    /// <value>The default is 1,044,480 (1 MiB - 4 KiB). The minimum is 1, and the maximum is 1,073,737,727 (1 GiB - 4 KiB - 1).</value>
    /// <remarks>
    /// The limit also applies to the total size of a batch of records. In a framed log, the size of a batch includes 4 bytes for each
    /// record after the first.
    /// </remarks>
    public int MaxRecordBytes { get; set; } = (1024 * 1024) - 4096;

    /// <summary>Gets or sets the size of the memory for records that have not been written, in bytes.</summary>
    /// <value>The default is 16,777,216 (16 MiB). Negative values are not valid.</value>
    /// <remarks>
    /// The memory is divided into 2 to 4,096 buffers, each slightly larger than <see cref="MaxRecordBytes"/>. A buffer is allocated when it
    /// is first needed.
    /// </remarks>
    public int BufferBytes { get; set; } = 16 * 1024 * 1024;

    /// <summary>Gets or sets a value that indicates whether an append waits when there is no space for its record.</summary>
    /// <value>
    /// <see langword="true"/> to wait; <see langword="false"/> to throw an <see cref="IOException"/>, in which case the record is not
    /// in the log. The default is <see langword="true"/>.
    /// </value>
    /// <remarks>
    /// There is no space if the memory is full (<see cref="BufferBytes"/>), or if 32 full segments wait to be made durable. While many
    /// buffers are written at once, more segments can wait.
    /// </remarks>
    public bool WaitWhenFull { get; set; } = true;

    /// <summary>
    /// Gets or sets the approximate time after which buffered records are written to the file, even if no caller waits for them.
    /// </summary>
    /// <value>The default is 200 milliseconds. The minimum is 1 millisecond.</value>
    /// <remarks>
    /// A record is written after twice this time at the latest, unless a flush to the disk takes longer. All logs of a process share
    /// threads: if the disks of other logs do not respond, a record can be written 100 milliseconds later.
    /// </remarks>
    public TimeSpan FlushInterval { get; set; } = TimeSpan.FromMilliseconds(200);

    /// <summary>
    /// Gets or sets a value that indicates whether disk space for a segment is reserved when the segment is created. The space for the first
    /// segment of a new log, or for the segment in which a log that is opened continues, is reserved by the first append. This property
    /// applies only to framed logs.
    /// </summary>
    /// <value>The default is <see langword="true"/>.</value>
    /// <remarks>
    /// On ext4 and XFS, the log may also write zeros ahead of the records, which makes frequent flushes to the disk faster. If the space
    /// cannot be reserved, the log works without it.
    /// </remarks>
    public bool Preallocate { get; set; } = true;

    /// <summary>Gets or sets the maximum number of segments to keep. If there are more, the oldest segments are removed.</summary>
    /// <value>The default is <see langword="null"/>, which sets no limit. The minimum is 1.</value>
    /// <remarks>
    /// The number includes the segment that is being written, which is never removed. Segments that are not yet durable are not removed
    /// either, so that the number can be exceeded for a while.
    /// </remarks>
    public int? RetainSegments { get; set; }

    /// <summary>
    /// Gets or sets the maximum total size of the segments to keep, in bytes, not including the segment that is being written. If the total
    /// is larger, the oldest segments are removed.
    /// </summary>
    /// <value>The default is <see langword="null"/>, which sets no limit. Negative values are not valid.</value>
    public long? RetainBytes { get; set; }

    /// <summary>
    /// Gets or sets the time for which segments are kept. A segment is removed when its last record is older, unless the segment is being
    /// written.
    /// </summary>
    /// <value>The default is <see langword="null"/>, which sets no limit. Negative values are not valid.</value>
    /// <remarks>
    /// The age is checked when the log is opened, when a segment is full, and at regular intervals of at most ten minutes. In a raw log,
    /// the age of a file is counted from its last change.
    /// </remarks>
    public TimeSpan? RetainAge { get; set; }

    /// <summary>Gets or sets the pattern for the file names of a raw log, such as "app-{date:yyyyMMdd}-{id}.log".</summary>
    /// <value>The default is <see langword="null"/>, which stands for "{id}.log". A framed log does not accept a pattern.</value>
    /// <remarks>
    /// <para>
    /// The pattern must not be empty. "{id}" must occur exactly once. It is replaced by the number of the file, with 10 to 18 digits. No
    /// other braces are allowed except those of "{date:}".
    /// </para>
    /// <para>
    /// "{date:yyyyMMddHHmmss}" can occur once. It is replaced by the UTC time at which the file was created. The format can be shortened
    /// after any unit ("yyyyMMdd"), and "-", "_" or "." can stand between two units. A new file is started when the shortest unit in the
    /// format changes: every day for "yyyyMMdd".
    /// </para>
    /// <para>
    /// "{id}" and "{date:}" must not be next to each other or next to a digit. The pattern must not end with ".gz", ".tmp", ".slog",
    /// ".state", a dot or a space. It must not contain control characters or any of the characters / \ : * ? " &lt; &gt; | except the colon
    /// of "{date:}". The longest file name, followed by ".gz.tmp", must not exceed 255 bytes of UTF-8.
    /// </para>
    /// <para>
    /// The names of the files sort in the order in which the files were created. Files whose names do not match the pattern are not part of
    /// the log. Therefore, several logs with different patterns can share a directory.
    /// </para>
    /// </remarks>
    public string? FileNamePattern { get; set; }

    /// <summary>Gets or sets the level at which full files of a raw log are compressed with gzip in the background. Linux only.</summary>
    /// <value>
    /// The default is <see cref="CompressionLevel.NoCompression"/>, which leaves the files as they are. A framed log accepts only this
    /// value.
    /// </value>
    /// <remarks>
    /// <para>The name of a compressed file ends with ".gz". <see cref="RetainBytes"/> applies to the compressed size.</para>
    /// <para>
    /// A file is compressed when no process has it open for appending or holds a lock of it. Files that are already full when the log is
    /// opened are compressed, too.
    /// </para>
    /// </remarks>
    public CompressionLevel Compression { get; set; } = CompressionLevel.NoCompression;

    /// <summary>
    /// Gets or sets a value that indicates whether the log is opened even if durable records at its end are missing or damaged.
    /// </summary>
    /// <value>
    /// <see langword="true"/> to remove the damaged end and open the log; <see langword="false"/> to throw a
    /// <see cref="SluiceLogDamagedException"/> and leave the log unchanged. The default is <see langword="false"/>.
    /// </value>
    /// <remarks>
    /// If a segment is missing between two others, the log cannot be opened in either case. To open it, move the segments before the gap to
    /// another directory.
    /// </remarks>
    public bool AcceptLoss { get; set; }

    /// <summary>
    /// Gets or sets a value that indicates whether the log is disposed when the process exits (<see cref="AppDomain.ProcessExit"/>).
    /// </summary>
    /// <value>The default is <see langword="false"/>.</value>
    /// <remarks>
    /// An <see cref="IOException"/> that occurs during this disposal is ignored. The exit waits for at most five seconds: on a disk that does
    /// not respond, records that have not been written can be lost.
    /// </remarks>
    public bool DisposeOnProcessExit { get; set; }

    /// <summary>
    /// Gets or sets the permissions of files that the log creates, before the umask is applied. The value is ignored on Windows.
    /// </summary>
    /// <value>The default is <see langword="null"/>, which stands for the default of .NET: read and write permission for everyone.</value>
    public UnixFileMode? UnixCreateMode { get; set; }

    /// <summary>Gets or sets the clock, for tests.</summary>
    internal TimeProvider Clock { get; set; } = TimeProvider.System;

    /// <summary>Gets or sets the engine for the files of the log. This property is intended for tests.</summary>
    /// <value>
    /// The default is <see langword="null"/>, which stands for the engine of the current context
    /// (<see cref="IoEngine.UseForCurrentContext"/>) or else <see cref="SluiceEngines.Default"/>.
    /// </value>
    public IoEngine? Engine { get; set; }

    /// <summary>The size of a page, which is also the maximum size of a frame.</summary>
    internal int PageBytes => LogLayout.Padded(MaxRecordBytes) + LogLayout.FrameHeaderBytes + 64;

    internal int Pages => (int)Math.Clamp((long)BufferBytes / PageBytes, 2, MaxPages);

    /// <summary>The names of the files, set by <see cref="Check"/>.</summary>
    internal SegmentNames Names { get; private set; } = SegmentNames.Framed;

    /// <summary>The time, in milliseconds, between two checks for old segments; Timeout.Infinite for no checks.</summary>
    internal int RetentionIntervalMs => RetainAge is { } age
        ? (int)Math.Clamp(age.TotalMilliseconds / ChecksPerAge, MinCheckMs, MaxCheckMs)
        : Timeout.Infinite;

    /// <summary>Returns a copy of these options with another <see cref="FileNamePattern"/>.</summary>
    internal SluiceLogOptions WithFileNamePattern(string pattern)
    {
        SluiceLogOptions copy = (SluiceLogOptions)MemberwiseClone();
        copy.FileNamePattern = pattern;
        return copy;
    }

    /// <summary>Returns a checked copy of these options, for one log.</summary>
    /// <exception cref="ArgumentException">An option has an invalid value.</exception>
    internal SluiceLogOptions Check()
    {
        SluiceLogOptions checkedOptions = (SluiceLogOptions)MemberwiseClone();
        checkedOptions.Validate();
        checkedOptions.Engine ??= IoEngine.Ambient;
        return checkedOptions;
    }

    internal static LogDurability Known(LogDurability durability)
    {
        ArgumentOutOfRangeException.ThrowIfGreaterThan((uint)durability, (uint)LogDurability.Durable, nameof(durability));
        return durability;
    }

    private void Validate()
    {
        ArgumentOutOfRangeException.ThrowIfGreaterThan((uint)Format, (uint)LogFormat.Raw, nameof(Format));
        _ = Known(Durability);
        ArgumentOutOfRangeException.ThrowIfLessThan(SegmentBytes, MinSegmentBytes);
        ArgumentOutOfRangeException.ThrowIfLessThan(SegmentAge ?? default, default, nameof(SegmentAge));
        ArgumentOutOfRangeException.ThrowIfNegativeOrZero(MaxRecordBytes);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(MaxRecordBytes, LogLayout.MaxRecordBytes);
        ArgumentOutOfRangeException.ThrowIfNegative(BufferBytes);
        ArgumentOutOfRangeException.ThrowIfLessThan(FlushInterval, TimeSpan.FromMilliseconds(1));
        ArgumentOutOfRangeException.ThrowIfLessThan(RetainSegments ?? 1, 1, nameof(RetainSegments));
        ArgumentOutOfRangeException.ThrowIfNegative(RetainBytes ?? 0, nameof(RetainBytes));
        ArgumentOutOfRangeException.ThrowIfLessThan(RetainAge ?? default, default, nameof(RetainAge));
        Names = FileNamePattern is null ? Format == LogFormat.Framed ? SegmentNames.Framed : SegmentNames.Raw
            : Format == LogFormat.Raw ? SegmentNames.Parse(FileNamePattern)
            : throw new ArgumentException("The files of a framed log have names of their own.", nameof(FileNamePattern));
        ArgumentOutOfRangeException.ThrowIfGreaterThan((uint)Compression, (uint)CompressionLevel.SmallestSize, nameof(Compression));
        if (Compression != CompressionLevel.NoCompression && Format == LogFormat.Framed)
        {
            throw new ArgumentException("The segments of a framed log are not compressed.", nameof(Compression));
        }

        if (Compression != CompressionLevel.NoCompression && !Libc.IsSupported)
        {
            throw new PlatformNotSupportedException(
                "Raw logs are compressed only on Linux: elsewhere it is not known whether another process still appends to a file.");
        }
    }
}
