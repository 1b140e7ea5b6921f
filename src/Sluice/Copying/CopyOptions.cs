using System.Runtime.Versioning;
using Sluice.Copying;
using Sluice.Kernel;

namespace Sluice;

/// <summary>How to copy. Immutable, and therefore thread-safe; one object may serve any number of copies.</summary>
public sealed class CopyOptions
{
    /// <summary>
    /// The outstanding requests of a direct copy that were measured to be enough; the program of MSR-TR-2004-136 used four too.
    /// </summary>
    public const int DefaultDepth = 4;

    private const int MaxDepth = 64;

    /// <summary>
    /// How the bytes get there. What took effect is <see cref="CopyResult.Method"/>; one that is asked for and fails is an error.
    /// </summary>
    public CopyMethod Method { get; init; }

    /// <summary>
    /// Requests of 1 MiB outstanding in a direct copy (1 to 64). With <see cref="CopyMethod.Auto"/>, which compares ways, the usual number
    /// leaves it free to have more and smaller ones in the same memory.
    /// </summary>
    /// <exception cref="ArgumentOutOfRangeException">The value is outside that range.</exception>
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

    /// <summary>Whether a file at the target is replaced (false: an <see cref="IOException"/>).</summary>
    public bool Overwrite { get; init; }

    /// <summary>Whether a folder is copied with all that is below it; links are copied as links.</summary>
    public bool Recurse { get; init; }

    /// <summary>
    /// Whether what is at the target stays as it is where it is the same: a file that has the source's length and time of last write,
    /// further names of a file included; of a tree also a symbolic link that says the same, and a FIFO, socket or device of the same kind
    /// and number. It is counted by <see cref="CopyResult.UnchangedFiles"/>. All else is replaced only with <see cref="Overwrite"/>, and
    /// a folder is never replaced by a file, nor a file by a folder. Linux only.
    /// </summary>
    public bool SkipUnchanged { get; init; }

    /// <summary>
    /// Asked of everything below the source of a tree: true leaves it out, a folder with all that is below it. It gets the path relative to
    /// the source, with '/' between the names, is called on one thread at a time, and ends the copy with what it throws. Linux only.
    /// </summary>
    public Func<string, bool>? Exclude { get; init; }

    /// <summary>
    /// The part of a tree that this process copies, where several share one; null for all of it. Which files are whose depends on their
    /// paths and the number of shards alone, so that nobody has to talk; each file is copied as a whole, by one of them, unless it is
    /// longer than <see cref="SplitBytes"/>. The copy is made in the target itself, whose folders the first comer makes, each file under a
    /// temporary name until it is whole. What is there already with the source's length and time of last write, and is this user's (with
    /// <see cref="Verify"/>: and has the source's content), was made by an earlier run of the shard and stays, unless
    /// <see cref="Overwrite"/> is set without <see cref="SkipUnchanged"/>. When all shards have ended,
    /// <see cref="SluiceFile.FinishCopyAsync"/> ends the copy, once; until then folders have their owner's rights and their own times, and
    /// with <see cref="PreserveMetadata"/> files of several names are not there. Only for folders, with <see cref="Recurse"/>. Linux only.
    /// </summary>
    public Shard? Shard { get; init; }

    /// <summary>
    /// The length of a range: with <see cref="Shard"/>, files that are longer are copied in ranges, one after the other by one shard after
    /// the other, and get their names from <see cref="SluiceFile.FinishCopyAsync"/>. A multiple of 1 MiB; 0: each file is one shard's as a
    /// whole, and no shard asks for the lengths of the others' files; null: 16 GiB ("Sluice.CopySplitBytes"), but 0 where it cannot be
    /// told that several machines may write one file (FUSE, SMB, AFS, 9p). All shards of a copy need the same. With
    /// <see cref="PreserveMetadata"/> files of several names, and with <see cref="CopyMethod.Reflink"/> or
    /// <see cref="CopyMethod.CopyFileRange"/> all files, are copied as a whole. Entries of the source that are called as the folders in
    /// which ranges are written, <c>.name.sluice-part</c>, fail, when everything else is done. Linux only.
    /// </summary>
    /// <exception cref="ArgumentOutOfRangeException">The value is less than 0, or no multiple of 1 MiB.</exception>
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
    /// Whether the rest of a tree is copied after something in it has failed. All failures are thrown at the end, as one
    /// <see cref="FileBatchException"/>; false: the first one ends the copy. On Linux a disk that is full or read-only, or a quota that is
    /// used up, ends it in any case.
    /// </summary>
    public bool ContinueOnError { get; init; }

    /// <summary>Whether modes, owners, times, extended attributes and hard links are those of the source.</summary>
    public bool PreserveMetadata { get; init; }

    /// <summary>
    /// The permissions of files that the copy makes where there was none, subject to the umask; null for those of their sources. Folders
    /// have their sources' in any case.
    /// </summary>
    /// <exception cref="ArgumentException">The value has bits that are no permission.</exception>
    [UnsupportedOSPlatform("windows")]
    public UnixFileMode? UnixCreateMode
    {
        get;
        init => field = CreateMode.Check(value);
    }

    /// <summary>
    /// Whether to go on from what an earlier copy left, after comparing it with the source; and to leave the temporary file where it is
    /// when this copy fails or is cancelled.
    /// </summary>
    public bool Resume { get; init; }

    /// <summary>
    /// Whether the copy is read back past the cache, and its checksum compared with the source's, before it gets its name.
    /// </summary>
    public bool Verify { get; init; }

    /// <summary>
    /// Whether the copy is durable when the task has ended. With <see cref="Shard"/> or <see cref="SkipUnchanged"/> each file is also on
    /// the disk before it has its name, since a later run takes what has the right length and time for whole; without this, or
    /// <see cref="Verify"/>, a power cut may leave files that have both and lack bytes.
    /// </summary>
    public bool FlushToDisk { get; init; }

    /// <summary>
    /// The bytes a second that the copy moves at most, all its threads together; null for as many as can be. They come in pieces of a tenth
    /// of a second and less, but of 64 KiB at least, small files as a whole; what was not moved in one second is not made up for in the
    /// next. Shared blocks and holes take no time. With this a copy compares no ways (<see cref="CopyMethod.Auto"/>), and has one request
    /// outstanding (<see cref="Depth"/>). Not on Linux, pieces are whole files.
    /// </summary>
    /// <exception cref="ArgumentOutOfRangeException">The value is 0 or less.</exception>
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
    /// Told a few times a second how far the copy is, and at the end, also that of a copy that was cancelled. It is called on threads of
    /// the copy, which wait for it.
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
