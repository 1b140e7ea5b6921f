using System.Runtime.Versioning;
using Sluice.Copying;
using Sluice.Kernel;

namespace Sluice;

/// <summary>Provides options for <see cref="SluiceFile.CopyAsync"/>.</summary>
/// <remarks>
/// This type is immutable and therefore thread-safe. One object can be used for any number of copies. Each property is checked when it is
/// set. Combinations of properties are checked when the copy begins.
/// </remarks>
public sealed class CopyOptions
{
    /// <summary>The default value of <see cref="Depth"/>, which is 4.</summary>
    public const int DefaultDepth = 4;

    private const int MaxDepth = 64;

    /// <summary>Gets the method that transfers the bytes. The default is <see cref="CopyMethod.Auto"/>.</summary>
    /// <remarks>
    /// If a specified method is not possible for a file, the copy fails with an <see cref="IOException"/>. <see cref="CopyResult.Method"/>
    /// contains the method that was used.
    /// </remarks>
    public CopyMethod Method { get; init; }

    /// <summary>
    /// Gets the number of requests of 1 MiB that are in progress at the same time with <see cref="CopyMethod.Direct"/>, from 1 to 64. The
    /// default is <see cref="DefaultDepth"/>.
    /// </summary>
    /// <exception cref="ArgumentOutOfRangeException">The value is less than 1 or greater than 64.</exception>
    public int Depth
    {
        get;
        init
        {
            ArgumentOutOfRangeException.ThrowIfNegativeOrZero(value);
            ArgumentOutOfRangeException.ThrowIfGreaterThan(value, MaxDepth);
            field = value;
        }
    } = DefaultDepth;

    /// <summary>
    /// Gets a value that indicates whether an existing target file is replaced. The default is <see langword="false"/>: an
    /// existing target makes the copy fail with an <see cref="IOException"/>.
    /// </summary>
    public bool Overwrite { get; init; }

    /// <summary>
    /// Gets a value that indicates whether the copy of a single file appears under its name only when it is complete. The default is
    /// <see langword="false"/>: a new file is created at its name and filled, as by <see cref="File.Copy(string, string)"/>.
    /// </summary>
    /// <remarks>
    /// If the value is <see langword="true"/>, the data is first written to a temporary file in the directory of the target, so that a
    /// killed process leaves no incomplete target. After a power failure, the target may be incomplete or empty unless
    /// <see cref="FlushToDisk"/> is set. A temporary file is always used if a target is replaced (<see cref="Overwrite"/>), with
    /// <see cref="FlushToDisk"/> and with <see cref="Resume"/>; for files of a tree, only if they replace others.
    /// </remarks>
    public bool Atomic { get; init; }

    /// <summary>
    /// Gets a value that indicates whether a directory is copied with all its files and subdirectories. Symbolic links in the directory are
    /// copied as links. The default is <see langword="false"/>: copying a directory fails with an
    /// <see cref="UnauthorizedAccessException"/>.
    /// </summary>
    public bool Recurse { get; init; }

    /// <summary>
    /// Gets a value that indicates whether files that match their source are skipped. The default is <see langword="false"/>. Linux only.
    /// </summary>
    /// <remarks>
    /// A file matches if it has the length and the last write time of the source. In a tree, a symbolic link matches if it has the same
    /// target, and a FIFO, socket or device matches if it has the same type and device number. <see cref="CopyResult.UnchangedFiles"/> is
    /// the number of matches. Existing targets that do not match are replaced only if <see cref="Overwrite"/> is <see langword="true"/>. A
    /// directory is never replaced by a file, nor a file by a directory.
    /// </remarks>
    public bool SkipUnchanged { get; init; }

    /// <summary>
    /// Gets the method that decides which entries of a tree are not copied. The default is <see langword="null"/>: all entries are copied.
    /// Linux only.
    /// </summary>
    /// <remarks>
    /// The method is called for every entry below the source. Its argument is the path of the entry relative to the source, with '/'
    /// as the separator. If the method returns <see langword="true"/>, the entry is not copied; if the entry is a directory, nothing below
    /// it is copied either. The method is called by one thread at a time. If it throws an exception, the copy ends.
    /// </remarks>
    public Func<string, bool>? Exclude { get; init; }

    /// <summary>
    /// Gets the part of a tree that this process copies, if several processes share the work. The default is
    /// <see langword="null"/>: the process copies the whole tree. Linux only.
    /// </summary>
    /// <remarks>
    /// <para>The processes need not communicate, because the path of a file and the number of shards determine which shard copies the file.
    /// Each file is copied as a whole by one shard. To run a shard again after a failure, set <see cref="SkipUnchanged"/>.</para>
    /// <para>When all shards have ended, copy the tree once without this option and with <see cref="SkipUnchanged"/>. That copy adds what is
    /// missing; with <see cref="PreserveMetadata"/>, it also creates the files that have several hard links and sets the metadata of the
    /// directories, which shards do not. Without <see cref="PreserveMetadata"/>, the owner of a directory that a shard creates has
    /// read, write and execute permission for it, even if the owner of the source directory has not.</para>
    /// <para>This option requires <see cref="Recurse"/>.</para>
    /// </remarks>
    public Shard? Shard { get; init; }

    /// <summary>
    /// Gets a value that indicates whether the copy of a tree continues after a file or directory has failed. The default is
    /// <see langword="false"/>: the first failure ends the copy.
    /// </summary>
    /// <remarks>
    /// In both cases, the failures are thrown as one <see cref="FileBatchException"/>. On Linux, the copy always ends if the disk is full
    /// or read-only or a quota is exceeded.
    /// </remarks>
    public bool ContinueOnError { get; init; }

    /// <summary>
    /// Gets a value that indicates whether modes, owners, times, extended attributes and hard links are copied from the source. The default
    /// is <see langword="false"/>. This option cannot be combined with <see cref="UnixCreateMode"/>. Linux only.
    /// </summary>
    /// <remarks>
    /// If the file system of the target refuses to set an owner, permissions or times, the file stays and the copy fails with that error
    /// at its end. A refused owner is an error only if the effective user is root.
    /// </remarks>
    public bool PreserveMetadata { get; init; }

    /// <summary>
    /// Gets the permissions of files that are created, before the umask of the process is applied. The default is <see langword="null"/>:
    /// the permissions of the source are copied. Directories always get the permissions of their source.
    /// </summary>
    /// <exception cref="ArgumentException">The value contains bits that are not permissions.</exception>
    /// <exception cref="PlatformNotSupportedException">
    /// The operating system is Windows and the value is not <see langword="null"/>.
    /// </exception>
    [UnsupportedOSPlatform("windows")]
    public UnixFileMode? UnixCreateMode
    {
        get;
        init => field = CreateMode.Check(value);
    }

    /// <summary>
    /// Gets a value that indicates whether the copy of a file continues an earlier copy that failed or was canceled. The default is
    /// <see langword="false"/>. Linux only.
    /// </summary>
    /// <remarks>
    /// The copy uses the data in the temporary file of the earlier copy that matches the source. If the copy itself fails or is canceled, it
    /// keeps its temporary file, so that it can be resumed. This option cannot be combined with <see cref="Recurse"/>: the copy of a tree is
    /// continued with <see cref="SkipUnchanged"/>.
    /// </remarks>
    public bool Resume { get; init; }

    /// <summary>
    /// Gets a value that indicates whether each copied file is read back and compared with the source. The
    /// default is <see langword="false"/>. On Linux, the file is read from the device and not from the page cache if the file system
    /// supports O_DIRECT.
    /// </summary>
    public bool Verify { get; init; }

    /// <summary>
    /// Gets a value that indicates whether the copy is durable when the task has completed. The default is
    /// <see langword="false"/>.
    /// </summary>
    /// <remarks>
    /// Set this option or <see cref="Verify"/> if a copy with <see cref="Shard"/> or <see cref="SkipUnchanged"/> may be repeated after a
    /// power failure. Otherwise, files can lack data although they have the right length and last write time, and the later run skips them.
    /// </remarks>
    public bool FlushToDisk { get; init; }

    /// <summary>
    /// Gets the maximum rate of the copy, in bytes per second. The default is <see langword="null"/>: the rate is not limited.
    /// </summary>
    /// <exception cref="ArgumentOutOfRangeException">The value is 0 or negative.</exception>
    /// <remarks>
    /// The limit applies to all threads of the copy together. Blocks that the file system shares between source and target
    /// (<see cref="CopyMethod.Reflink"/>) and holes in a sparse file are not transferred and do not count toward the limit. With a limit,
    /// <see cref="Depth"/> is ignored. On operating systems other than Linux, the copy pauses only between files, so the rate within a file
    /// is not limited.
    /// </remarks>
    public long? BytesPerSecond
    {
        get;
        init
        {
            ArgumentOutOfRangeException.ThrowIfNegativeOrZero(value ?? 1, nameof(value));
            field = value;
        }
    }

    /// <summary>
    /// Gets the object that receives the progress of the copy, at most 10 times a second and once at the end of a copy that succeeded, was
    /// canceled, or failed within a tree. The object is called by the threads of the copy and should return quickly. The default is
    /// <see langword="null"/>.
    /// </summary>
    public IProgress<CopyProgress>? Progress { get; init; }

    /// <summary>
    /// Gets the number of requests in progress: one if the rate is limited, so that the next one begins when this one is due.
    /// </summary>
    internal int RequestsOutstanding => BytesPerSecond is null ? Depth : 1;

    /// <summary>
    /// Returns the number of bytes to transfer at once, at most <paramref name="most"/>: at a limited rate, those of a tenth of a second.
    /// </summary>
    internal long PieceBytes(long most)
    {
        const long step = Tuning.CopyRateStepBytes;
        return BytesPerSecond is { } rate ? Math.Min(most, Math.Max(rate / 10 / step * step, step)) : most;
    }

    /// <summary>Throws an exception if the options contradict each other.</summary>
    internal void Check()
    {
        if (PreserveMetadata && !OperatingSystem.IsWindows() && UnixCreateMode is not null)
        {
            throw new ArgumentException("A copy has its source's permissions (PreserveMetadata) or others (UnixCreateMode), not both.");
        }

        if (Shard is not null && !Recurse)
        {
            throw new ArgumentException("Shard requires Recurse, because a shard is a part of a tree.");
        }

        if (Resume && Recurse)
        {
            throw new ArgumentException("Resume is for one file: the copy of a tree is continued with SkipUnchanged.");
        }
    }
}
