using System.Runtime.Versioning;
using Sluice.Copying;
using Sluice.Kernel;

namespace Sluice;

/// <summary>Provides options for <see cref="SluiceFile.CopyAsync"/> and <see cref="SluiceFile.FinishCopyAsync"/>.</summary>
/// <remarks>
/// This type is immutable and therefore thread-safe. One object can be used for any number of copies. The properties are checked
/// when they are set, and combinations that contradict each other when the copy begins.
/// </remarks>
public sealed class CopyOptions
{
    /// <summary>
    /// The default value of <see cref="Depth"/>, which is 4. The copy program of MSR-TR-2004-136 (Sequential File Programming
    /// Patterns and Performance with .NET) uses the same number.
    /// </summary>
    public const int DefaultDepth = 4;

    private const int MaxDepth = 64;

    /// <summary>Gets the method that transfers the bytes. The default is <see cref="CopyMethod.Auto"/>.</summary>
    /// <remarks>
    /// If a method other than <see cref="CopyMethod.Auto"/> is not possible for the files, the copy fails with an
    /// <see cref="IOException"/>. <see cref="CopyResult.Method"/> contains the method that was used.
    /// </remarks>
    public CopyMethod Method { get; init; }

    /// <summary>
    /// Gets the number of requests of 1 MiB to keep in flight with <see cref="CopyMethod.Direct"/>, from 1 to 64. The default is
    /// <see cref="DefaultDepth"/>.
    /// </summary>
    /// <exception cref="ArgumentOutOfRangeException">The value is less than 1 or greater than 64.</exception>
    /// <remarks>
    /// With <see cref="CopyMethod.Auto"/> and the default value, the copy also tries more and smaller requests that take the same
    /// amount of memory.
    /// </remarks>
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
    /// Gets a value that indicates whether a directory is copied with everything below it. Symbolic links in it are copied as
    /// links. The default is <see langword="false"/>: copying a directory fails with an
    /// <see cref="UnauthorizedAccessException"/>.
    /// </summary>
    public bool Recurse { get; init; }

    /// <summary>
    /// Gets a value that indicates whether targets that match their source are left as they are. The default is
    /// <see langword="false"/>. Linux only.
    /// </summary>
    /// <remarks>
    /// A file matches if it has the length and the last write time of the source. In a tree, a symbolic link also matches if it
    /// has the same target, and a FIFO, socket or device if it has the same type and device number.
    /// <see cref="CopyResult.UnchangedFiles"/> counts the matches. Other existing targets are replaced only if
    /// <see cref="Overwrite"/> is <see langword="true"/>. A directory is never replaced by a file, nor a file by a directory.
    /// </remarks>
    public bool SkipUnchanged { get; init; }

    /// <summary>
    /// Gets the method that decides which entries of a tree are left out. The default is <see langword="null"/>: everything is
    /// copied. Linux only.
    /// </summary>
    /// <remarks>
    /// The method is called for every entry below the source, with its path relative to the source and '/' as the separator. It
    /// returns <see langword="true"/> to leave the entry out, a directory together with everything below it. It is called by one
    /// thread at a time. An exception that it throws ends the copy. It cannot be combined with <see cref="Resume"/>.
    /// </remarks>
    public Func<string, bool>? Exclude { get; init; }

    /// <summary>
    /// Gets the part of a tree that this process copies, if several processes share the work. The default is
    /// <see langword="null"/>: the process copies the whole tree. Linux only.
    /// </summary>
    /// <remarks>
    /// <para>The paths and the number of shards alone determine which shard copies a file, so the processes need not communicate.
    /// Each file is copied as a whole by one shard, unless it is longer than <see cref="SplitBytes"/>. The shards write into the
    /// target directory itself. The first shard that needs a directory creates it, and each file has a temporary name until it is
    /// complete.</para>
    /// <para>A target file that belongs to the current user and has the length and the last write time of its source is taken as
    /// the work of an earlier run of the shard and is left as it is. With <see cref="Verify"/>, its content must match too. If
    /// <see cref="Overwrite"/> is <see langword="true"/> and <see cref="SkipUnchanged"/> is <see langword="false"/>, every file
    /// is copied again.</para>
    /// <para>When all shards have ended, call <see cref="SluiceFile.FinishCopyAsync"/> once. Until then, the owner of a directory
    /// has full access to it, and directories do not have the times of their sources. With <see cref="PreserveMetadata"/>, files
    /// with several hard links are created only by that call.</para>
    /// <para>This option requires <see cref="Recurse"/> and cannot be combined with <see cref="Resume"/>.</para>
    /// </remarks>
    public Shard? Shard { get; init; }

    /// <summary>
    /// Gets the length of a range, in bytes. With <see cref="Shard"/>, files longer than this are divided into ranges that
    /// different shards copy, and <see cref="SluiceFile.FinishCopyAsync"/> gives them their names. The value must be 0 or a
    /// multiple of 1,048,576 (1 MiB). The default is <see langword="null"/>, which stands for 16 GiB. Linux only.
    /// </summary>
    /// <exception cref="ArgumentOutOfRangeException">The value is negative or not a multiple of 1 MiB.</exception>
    /// <remarks>
    /// <para>With 0, no file is divided, and no shard needs to query the lengths of files that other shards copy. The application
    /// setting <c>Sluice.CopySplitBytes</c> (see <see cref="AppContext.GetData"/>) changes the default. On a file system that may
    /// not allow several machines to write one file (FUSE, SMB, AFS, 9p), the default is 0. All shards of a copy must use the
    /// same value.</para>
    /// <para>Files with several hard links are not divided with <see cref="PreserveMetadata"/>, and no files are divided with
    /// <see cref="CopyMethod.Reflink"/> or <see cref="CopyMethod.CopyFileRange"/>. Ranges are written in directories named
    /// <c>.name.sluice-part</c>. Source entries with such a name are not copied; they are reported as failures after everything
    /// else has been copied.</para>
    /// </remarks>
    public long? SplitBytes
    {
        get;
        init
        {
            ArgumentOutOfRangeException.ThrowIfNegative(value ?? 0, nameof(value));
            ArgumentOutOfRangeException.ThrowIfNotEqual((value ?? 0) % Tuning.CopySplitStepBytes, 0, nameof(value));
            field = value;
        }
    }

    /// <summary>
    /// Gets a value that indicates whether the rest of a tree is copied after a file or directory in it has failed. The default
    /// is <see langword="false"/>: the first failure ends the copy.
    /// </summary>
    /// <remarks>
    /// In both cases the failures are thrown as one <see cref="FileBatchException"/>. On Linux, a disk that is full or read-only
    /// and an exceeded quota always end the copy.
    /// </remarks>
    public bool ContinueOnError { get; init; }

    /// <summary>
    /// Gets a value that indicates whether modes, owners, times, extended attributes and hard links are copied from the source.
    /// The default is <see langword="false"/>. It cannot be combined with <see cref="UnixCreateMode"/>. Linux only.
    /// </summary>
    public bool PreserveMetadata { get; init; }

    /// <summary>
    /// Gets the permissions to give to files that did not exist at the target. The umask of the process still applies. The
    /// default is <see langword="null"/>, which copies the permissions of the source. Directories always get the permissions of
    /// their source.
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
    /// Gets a value that indicates whether the copy continues from the temporary file or directory that an earlier copy left,
    /// after comparing it with the source. The default is <see langword="false"/>. Linux only.
    /// </summary>
    /// <remarks>
    /// If <see langword="true"/>, the copy also keeps its own temporary file or directory if it fails or is canceled.
    /// </remarks>
    public bool Resume { get; init; }

    /// <summary>
    /// Gets a value that indicates whether each copied file is read back and its SHA-256 hash is compared with that of the
    /// source, before the file gets its name. The default is <see langword="false"/>. On Linux the file is read back from the
    /// device, past the page cache, if the file system supports direct I/O.
    /// </summary>
    public bool Verify { get; init; }

    /// <summary>
    /// Gets a value that indicates whether the copy is durable when the task has completed. The default is
    /// <see langword="false"/>.
    /// </summary>
    /// <remarks>
    /// With <see cref="Shard"/> or <see cref="SkipUnchanged"/>, each file is flushed to the device before it gets its name,
    /// because a later run takes a file with the right length and time as complete. Without this option or <see cref="Verify"/>,
    /// a power failure may leave files that have both but lack data.
    /// </remarks>
    public bool FlushToDisk { get; init; }

    /// <summary>
    /// Gets the largest number of bytes that all threads of the copy together transfer in one second. The default is
    /// <see langword="null"/>: the rate is not limited.
    /// </summary>
    /// <exception cref="ArgumentOutOfRangeException">The value is 0 or negative.</exception>
    /// <remarks>
    /// The bytes are transferred in pieces of at most a tenth of a second, but of at least 64 KiB; small files are transferred as
    /// a whole. Time in which nothing was transferred is not made up for. Shared blocks and holes do not count. With a limit,
    /// <see cref="CopyMethod.Auto"/> does not compare methods, and one request is in flight whatever <see cref="Depth"/> is. On
    /// operating systems other than Linux, a piece is a whole file.
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
    /// Gets the object that receives the progress of the copy up to 10 times a second and once at the end, even if the copy was
    /// canceled. It is called by the threads of the copy, which wait for it to return. The default is <see langword="null"/>.
    /// </summary>
    public IProgress<CopyProgress>? Progress { get; init; }

    /// <summary>Whether this is the end of a copy in shards.</summary>
    internal bool IsFinish { get; private init; }

    /// <summary>Whether the target is made by several processes.</summary>
    internal bool IsShared => Shard is not null || IsFinish;

    /// <summary>Whether what is there and is the same stays, without having been asked for.</summary>
    internal bool KeepsOwnWork => IsShared && (!Overwrite || (IsFinish && SkipUnchanged));

    /// <summary>Whether what earlier runs of shards have made is made anew.</summary>
    internal bool MakesAnew => IsShared && Overwrite && !SkipUnchanged;

    /// <summary>How often the temporary folder of a new tree is touched.</summary>
    internal int TouchMs { get; init; } = Tuning.TemporaryFolderTouchMs;

    /// <summary>The length of a range.</summary>
    internal long RangeBytes => SplitBytes ?? (Tuning.CopySplitBytes / Tuning.CopySplitStepBytes * Tuning.CopySplitStepBytes);

    /// <summary>The requests outstanding: one where the rate is limited, and the next one begins when this one was due.</summary>
    internal int RequestsOutstanding => BytesPerSecond is null ? Depth : 1;

    /// <summary>The bytes to move at once, no more than so many: those of a tenth of a second.</summary>
    internal long PieceBytes(long most)
    {
        const long step = Tuning.CopyRateStepBytes;
        return BytesPerSecond is { } rate ? Math.Min(most, Math.Max(rate / 10 / step * step, step)) : most;
    }

    /// <summary>The same options for the end of a copy in shards.</summary>
    /// <exception cref="ArgumentException">They are none for that.</exception>
    internal CopyOptions ToFinish()
    {
        if (Shard is not null || Resume || Verify)
        {
            throw new ArgumentException("Shard, Resume and Verify are nothing that a copy in shards is finished with.");
        }

        return new CopyOptions
        {
            Method = Method,
            Depth = Depth,
            Overwrite = Overwrite,
            Recurse = true,
            SkipUnchanged = SkipUnchanged,
            Exclude = Exclude,
            SplitBytes = SplitBytes,
            ContinueOnError = ContinueOnError,
            PreserveMetadata = PreserveMetadata,
#pragma warning disable CA1416 // On Windows it is null, and null may be set.
            UnixCreateMode = UnixCreateMode,
#pragma warning restore CA1416
            FlushToDisk = FlushToDisk,
            BytesPerSecond = BytesPerSecond,
            Progress = Progress,
            IsFinish = true,
        };
    }

    /// <summary>What makes no sense together.</summary>
    internal void Check()
    {
        if (PreserveMetadata && !OperatingSystem.IsWindows() && UnixCreateMode is not null)
        {
            throw new ArgumentException("A copy has its source's permissions (PreserveMetadata) or others (UnixCreateMode), not both.");
        }

        if (Shard is not null && (!Recurse || Resume))
        {
            throw new ArgumentException("A shard is a part of a tree (Recurse), and goes on from what it left by itself, without Resume.");
        }

        if (Resume && Exclude is not null)
        {
            throw new ArgumentException("An earlier copy may have left what is to be left out: Resume and Exclude exclude each other.");
        }
    }
}
