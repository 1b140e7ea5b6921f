using System.Globalization;

namespace Sluice.Kernel;

/// <summary>
/// The tuned numbers of the library, in two parts: their units, and what they were tuned on. Unless something else is said that is a
/// machine with two cores, Linux 6.18 and ext4 on a virtio disk that reads 4 KiB in 60 us; a number in parentheses is a page of
/// docs/decisions. Those that depend on the machine are properties: a program sets them by their name after "Sluice.", as runtimeconfig
/// knobs or by AppContext.SetData before its first use of Sluice.
/// </summary>
internal static partial class Tuning
{
    /// <summary>
    /// From here on a continuation is long, in microseconds of its own time: a hop between threads takes 5 to 10, and below that others'
    /// waiting costs less than the hop. "Sluice.LongContinuationMicroseconds".
    /// </summary>
    public static long LongContinuationMicroseconds { get; } = Number("Sluice.LongContinuationMicroseconds", 10, 1, 1_000_000);

    /// <summary>What is above continuations' average counts an eighth, as a power of two; as the next two from 0002's loops.</summary>
    public const int ContinuationRiseShift = 3;

    /// <summary>So many times what is long is what a continuation counts at most: one alone makes no average long.</summary>
    public const int ContinuationMaxTimesLong = 6;

    /// <summary>A shorter one takes a 128th of the average, as a power of two: a few hundred forget a long one.</summary>
    public const int ContinuationFallShift = 7;

    /// <summary>Operations for each processor, in a ring or just out of it, from which on long continuations get no calls (0002).</summary>
    public static int CallsPerProcessor { get; } = (int)Number("Sluice.CallsPerProcessor", 2, 1, 4096);

    /// <summary>Microseconds from which on a continuation may have lost its processor; asking the system takes a third of one.</summary>
    public static long InterruptionMicroseconds { get; } = Number("Sluice.InterruptionMicroseconds", 40, 1, 1_000_000);

    /// <summary>
    /// A ring at most for so many processors, when the number of rings is left to the load. No measurement: this machine has two, and
    /// one ring's thread served 190,000 reads a second there. "Sluice.ProcessorsPerRing".
    /// </summary>
    public static int ProcessorsPerRing { get; } = (int)Number("Sluice.ProcessorsPerRing", 4, 1, 4096);

    /// <summary>One submission of so many, and one, looks whether the lock is another thread's: a power of two less one.</summary>
    public const int ContentionSample = 63;

    /// <summary>What each look that finds it taken counts.</summary>
    public const int ContentionStep = 64;

    /// <summary>A look that finds it free forgets one part in two to this power: a sixteenth. No measurement.</summary>
    public const int ContentionForgetShift = 4;

    /// <summary>Above this another ring is made: every fifth look, for long. No measurement: <see cref="ProcessorsPerRing"/>.</summary>
    public const int MaxContention = 256;

    /// <summary>Times in a row that a thread puts in what others left for it, before they wait for the submission lock.</summary>
    public const int MaxStageRounds = 8;

    /// <summary>Entries of a ring that wait to be submitted.</summary>
    public static uint RingEntries { get; } = (uint)Number("Sluice.RingEntries", 512, 8, 32_768);

    /// <summary>Completions that a ring has room for, no fewer than entries; so many operations, less the extras, are in it.</summary>
    public static uint RingCompletions { get; } = Math.Max(RingEntries, (uint)Number("Sluice.RingCompletions", 4096, 512, 65_536));

    /// <summary>One place of a ring in so many is kept from what may wait for ever, such as a read of a pipe. No measurement.</summary>
    public const int KeptPlacesPart = 8;

    /// <summary>Requests to cancel and wakers in a ring at once. There is room for completions of these and all operations.</summary>
    public const int MaxExtras = 64;

    /// <summary>
    /// Kernel workers, for each thread that submits, that may block in files which cannot be polled; RLIMIT_NPROC bounds them too.
    /// </summary>
    public static uint MaxBlockingWorkers { get; } = (uint)Number("Sluice.MaxBlockingWorkers", 64, 1, 32_768);

    /// <summary>Completions that are taken together.</summary>
    public const int CompletionsAtOnce = 64;

    /// <summary>
    /// Gathered entries that go in before a leader's batch has ended: the device must not wait for it (74,000 reads/s instead of 50,000).
    /// </summary>
    public static int MaxGathered { get; } = (int)Number("Sluice.MaxGathered", 8, 1, 512);

    /// <summary>They go in too where they are one part in so many of what is in flight: a device with little to do must not wait.</summary>
    public const int GatheredPartOfInFlight = 4;

    /// <summary>Batches at whose ends a leader finds other work waiting in the pool before it steps down for it.</summary>
    public const int LeaderPatience = 4;

    /// <summary>Milliseconds that a leader waits for completions before it steps down.</summary>
    public const int LeaderWaitMs = 1;

    /// <summary>Milliseconds between two looks of the completion thread at a leader that may be stuck in a caller's continuation.</summary>
    public static int WatchMs { get; } = (int)Number("Sluice.WatchMs", 2, 1, 1000);

    /// <summary>Milliseconds until the kernel is tried again after it had no memory.</summary>
    public const int StarvedRetryMs = 1;

    /// <summary>Tries in a row of which it takes no entry that are a refusal (0001); no measurement: a second, or some.</summary>
    public static int MaxStarvedLooks { get; } = (int)Number("Sluice.MaxStarvedLooks", 1000, 1, 1_000_000_000);

    /// <summary>Milliseconds after which the completion thread looks by itself: where the kernel takes no entry, nobody wakes it.</summary>
    public const int LookAgainMs = 500;

    /// <summary>Milliseconds between two looks for completions where they may not be waited for in the kernel.</summary>
    public const int RefusedLookMs = 1;

    /// <summary>Milliseconds in which continuations are taken for long after one that was stuck, then twice as many each time.</summary>
    public const int FirstPenaltyMs = 20;

    /// <summary>The longest of them.</summary>
    public const int LongestPenaltyMs = 10_000;

    /// <summary>Milliseconds without one that was stuck after which the next penalty is a first one again.</summary>
    public const int PenaltyForgivenAfterMs = 1000;

    // Operations and engines

    /// <summary>Finished operations kept for a thread without a lock; half goes to the shared list at once.</summary>
    public const int OperationPoolMaxLocal = 32;

    /// <summary>Finished operations on the shared list.</summary>
    public const int OperationPoolMaxShared = 16_384;

    /// <summary>Times that one submission may fail with EINTR, EAGAIN or a stray ECANCELED before its caller hears of it.</summary>
    public const int OperationMaxRetries = 64;

    /// <summary>Behind so many a transfer of a file that is cancelled unasked leaves the rings, for a blocking call.</summary>
    public const int OperationMaxRetriesInRing = 4;

    /// <summary>Milliseconds between two stray ECANCELED of a read of a pipe after which the first is forgotten. No measurement.</summary>
    public const int StrayForgottenMs = 100;

    /// <summary>Milliseconds that a synchronous caller waits at a gate before it passes by those who wait for a thread.</summary>
    public const int OperationPatienceMs = 20;

    /// <summary>Entries of a batch in flight at once (0008).</summary>
    public const int BatchRingMaxEntries = 256;

    /// <summary>Rings of one kind that are kept between their borrowers. No measurement: a descriptor and some KiB each.</summary>
    public const int BatchRingMaxKept = 8;

    /// <inheritdoc cref="BatchRingMaxKept"/>
    public const int SequentialRingMaxKept = 8;

    /// <inheritdoc cref="BatchRingMaxKept"/>
    public const int FileRingMaxKept = 16;

    /// <summary>Cursors of vectored transfers that are kept for all threads; one more for each thread. No measurement.</summary>
    public const int SegmentCursorMaxShared = 128;

    /// <summary>Segments beyond which a cursor is not kept: 64 KiB of theirs. No measurement.</summary>
    public const int SegmentCursorMaxKeptSegments = 4096;

    /// <summary>Segments that a new cursor has room for. No measurement.</summary>
    public const int SegmentCursorFirstSegments = 16;

    /// <summary>Bytes of a stretch after which what lies behind is dropped (0007).</summary>
    public const int DropBehindEveryBytes = 1 << 20;

    /// <summary>Bytes behind the stretch that are dropped with it (0007).</summary>
    public const int DropBehindBehindBytes = 32 << 20;

    /// <summary>Bytes of a direct transfer that go through one aligned buffer of ours (0007).</summary>
    public const int DirectTransferMaxBounceBytes = 1024 * 1024;

    /// <summary>Bytes that an asynchronous call copies on its caller's thread, and between two looks at its token.</summary>
    public const int OpenFileMaxInlineBytes = 1024 * 1024;

    /// <summary>Bytes of a direct transfer between two looks at its token: some milliseconds of a device.</summary>
    public const int OpenFileMaxDirectPieceBytes = 8 * 1024 * 1024;

    // Handles

    /// <summary>Reads in a row that miss the page cache before it is not asked any more (0004).</summary>
    public const int HandleColdStreak = 8;

    /// <summary>One read of so many then asks again (0004).</summary>
    public const int HandleColdProbe = 16;

    /// <summary>Reads in a row that find their pages before `pread` is taken for granted (0004).</summary>
    public const int HandleHotStreak = 64;

    /// <summary>So many of those before one asks again: what a miss may hold up (0004).</summary>
    public const int HandleHotRun = 15;

    /// <summary>Bytes of such a read at most (0004).</summary>
    public const int HandleMaxHotBytes = 64 * 1024;

    /// <summary>Threads that work on one batch where there are no rings (0008).</summary>
    public static int SharedBatchMaxHelpers { get; } = (int)Number("Sluice.SharedBatchMaxHelpers", 64, 1, 4096);

    /// <summary>Bytes of a file behind which space is reserved ahead (0005).</summary>
    public const int HandleReserveFrom = 4 * 1024 * 1024;

    // Files and folders

    /// <summary>Bytes of a whole file that are read on the caller's thread (0010).</summary>
    public const int InlineLimitBytes = 1 << 20;

    /// <summary>Small files that are read together (0010).</summary>
    public const int SmallFileReaderMaxFiles = 32;

    /// <summary>Bytes of a small file (0010).</summary>
    public const int SmallFileReaderMaxBytes = 256 * 1024;

    /// <summary>Threads that read the small files of a group where there are no rings (0010).</summary>
    public static int SmallFileReaderPoolReaders { get; } = (int)Number("Sluice.SmallFileReaderPoolReaders", 16, 1, 1024);

    /// <summary>Groups of a batch of files that are under way (0010).</summary>
    public const int FileBatchMaxGroups = 1024;

    /// <summary>Chunks of entries that wait for the caller of an enumeration (0010).</summary>
    public const int FolderWalkMaxReadyChunks = 64;

    /// <summary>Steps of an enumeration that its caller does alone before others help (0010).</summary>
    public const int FolderWalkStepsAlone = 32;

    /// <summary>Entries of its first step (0010).</summary>
    public const int FolderWalkFirstStepEntries = 8;

    /// <summary>Groups of entries of a tree that wait to be copied (0011).</summary>
    public const int TreeCopierMaxWaitingGroups = 64;

    /// <summary>Entries of such a group (0011).</summary>
    public const int TreeGroupMaxEntries = 64;

    /// <summary>Threads that copy the entries of a tree at least where source or target is of another machine (0012).</summary>
    public static int TreeCopierRemoteWorkers { get; } = (int)Number("Sluice.TreeCopierRemoteWorkers", 8, 1, 256);

    /// <summary>Full segments of a log that wait to be synced and closed, from which on whoever fills more waits too (0014).</summary>
    public static int LogFullSegments { get; } = (int)Number("Sluice.LogFullSegments", 32, 1, 1_000_000);

    /// <summary>Bytes of zeros that a log writes ahead of frames that are synced often; 0 for none (0014).</summary>
    public static int LogZeroBytes { get; } = (int)Number("Sluice.LogZeroBytes", 256 * 1024, 0, 1024 * 1024 * 1024);

    /// <summary>Bytes of a direct request of a copy (0011).</summary>
    public const int FileTransferBlockBytes = 1024 * 1024;

    /// <summary>Bytes of a piece of a copy between two looks at its token (0011).</summary>
    public const long FileTransferPieceBytes = 64 * 1024 * 1024;

    /// <summary>Bytes of a small direct request of a copy: so many are outstanding as take the memory of the large ones (0011).</summary>
    public const int FileTransferSmallBlockBytes = 256 * 1024;

    /// <summary>Bytes that each way to copy has in a turn while ways are compared (0011).</summary>
    public const long FileTransferTurnBytes = 16 * 1024 * 1024;

    /// <summary>
    /// The smallest copy, in bytes, of which parts are copied in several ways to find the fastest: below it that takes longer than it
    /// gains (0011). "Sluice.FileTransferMinMeasuredBytes".
    /// </summary>
    public static long FileTransferMinMeasuredBytes { get; } =
        Number("Sluice.FileTransferMinMeasuredBytes", 512L << 20, 1 << 20, long.MaxValue);

    /// <summary>
    /// Bytes of a range: larger files are copied in ranges by the shards of a copy that is told nothing else (0012); what is over a whole
    /// number of <see cref="CopySplitStepBytes"/> is left out.
    /// "Sluice.CopySplitBytes".
    /// </summary>
    public static long CopySplitBytes { get; } = Number("Sluice.CopySplitBytes", 16L << 30, CopySplitStepBytes, 1L << 62);

    /// <summary>What the length of a range is a multiple of: no two processes write into one page or block, however large (0012).</summary>
    public const long CopySplitStepBytes = 1024 * 1024;

    /// <summary>Bytes of a request of a copy in ranges (0012).</summary>
    public const int RangeTransferBlockBytes = 1024 * 1024;

    /// <summary>Places of each range at which the end of a copy in shards compares copy and source (0012).</summary>
    public const int RangeCheckPlaces = 16;

    /// <summary>Bytes that it compares at each (0012).</summary>
    public const int RangeCheckPlaceBytes = 4096;

    // Streams, readers and writers

    /// <summary>Bytes of a request that reads ahead of a direct stream (0006).</summary>
    public const int ReadAheadDirectChunk = 512 * 1024;

    /// <summary>Such requests in flight (0006).</summary>
    public static int ReadAheadDirectDepth { get; } = (int)Number("Sluice.ReadAheadDirectDepth", 4, 1, 64);

    /// <summary>Bytes after which writeback is begun early (0005).</summary>
    public static int EarlyWritebackStepBytes { get; } = (int)Number("Sluice.EarlyWritebackStepBytes", 4 * 1024 * 1024, 65_536, 1 << 30);

    /// <summary>Milliseconds that beginning it may take before it is left to the kernel (0005).</summary>
    public const int EarlyWritebackMaxStartMs = 20;

    /// <summary>One request of so many is timed, for whether reading ahead pays (0006).</summary>
    public const int OverlapGaugeProbeEvery = 64;

    /// <summary>Bytes that a reader from the end takes at once (0009).</summary>
    public const int BackwardLinesChunkBytes = 64 * 1024;

    /// <summary>Parts of a scan that lie ready for each worker (0009).</summary>
    public const int ParallelScanPartsAhead = 4;

    /// <summary>
    /// The first stripes of a file that several processes scan, in bytes. All of them must have the same, so it is no setting. No
    /// measurement: long beside a read-ahead, short beside a file that is worth sharing.
    /// </summary>
    public const int ScanStripeBytes = 1024 * 1024;

    /// <summary>The longest stripes. No measurement: see <see cref="ScanStripeBytes"/>.</summary>
    public const int ScanMaxStripeBytes = 1 << 30;

    /// <summary>The gain from which on larger requests are kept (0007).</summary>
    public const double RequestTunerGrowth = 1.04;

    /// <summary>Windows without a gain before growing ends (0007).</summary>
    public const int RequestTunerPatience = 2;

    /// <summary>Turns of all requests that one window measures (0007).</summary>
    public const int RequestTunerTurnsPerWindow = 8;

    // Memory

    /// <summary>Bytes of aligned buffers that are kept between their uses.</summary>
    public static int AlignedBufferPoolMaxKeptBytes { get; } =
        (int)Number("Sluice.AlignedBufferPoolMaxKeptBytes", 16 * 1024 * 1024, 0, 1 << 30);

    /// <summary>Buffers of one size that a processor keeps.</summary>
    public const int AlignedBufferPoolSlotsOfProcessor = 16;

    /// <summary>
    /// Milliseconds that who needs memory of a log waits for its keeper at a time: there was room, and who appends is only to be slower
    /// than the keeper. Who comes from a handler of exceptions may hold up another log's keeper meanwhile (0014).
    /// </summary>
    public const int LogKeeperPatienceMs = 100;

    /// <summary>Retired blocks that are given back together (0006).</summary>
    public const int RetiredMemoryBatchCount = 32;

    /// <summary>Bytes of them after which they are (0006).</summary>
    public const long RetiredMemoryBatchBytes = 4 << 20;

    /// <summary>Bytes from which on memory lies in huge pages (0007).</summary>
    public const int HugePagesFewestBytes = 4 << 20;

    /// <summary>A setting of the environment, or of the program (runtimeconfig.json); null where neither says anything.</summary>
    public static string? Setting(string variable, string knob) =>
        Environment.GetEnvironmentVariable(variable) is { Length: > 0 } value ? value
        : Convert.ToString(AppContext.GetData(knob), CultureInfo.InvariantCulture) is { Length: > 0 } text ? text
        : null;

    private static long Number(string knob, long otherwise, long least, long most) =>
        Convert.ToString(AppContext.GetData(knob), CultureInfo.InvariantCulture) is { } text
            && long.TryParse(text, CultureInfo.InvariantCulture, out long value)
            ? Math.Clamp(value, least, most)
            : otherwise;
}
