using System.Globalization;

namespace Sluice.Kernel;

/// <summary>
/// The settings of the library (docs/guide.md), and constants that several files share. A program sets a setting in runtimeconfig.json,
/// or by AppContext.SetData before its first use of Sluice. Constants were tuned on two cores, Linux 6.18 and ext4 on a virtio disk that
/// reads 4 KiB in 60 us, if nothing else is said; a number in parentheses is a page of docs/decisions.
/// </summary>
internal static class Tuning
{
    /// <summary>"uring" or "pool"; null for io_uring if the kernel allows it.</summary>
    public static string? Engine => Setting("SLUICE_ENGINE", "Sluice.Engine");

    /// <summary>Number of rings for handles and streams; null for as many as the load requires.</summary>
    public static string? Rings => Setting("SLUICE_RINGS", "Sluice.Rings");

    /// <summary>Bytes of unused aligned memory that are kept for reuse.</summary>
    public static int MaxKeptMemoryBytes { get; } = (int)Number("Sluice.MaxKeptMemoryBytes", 16 * 1024 * 1024, 0, 1 << 30);

    /// <summary>Maximum number of threads that a batch uses if there is no ring (0008).</summary>
    public static int MaxBatchThreads { get; } = (int)Number("Sluice.MaxBatchThreads", 64, 1, 4096);

    /// <summary>Bytes that an asynchronous call copies on the calling thread.</summary>
    public static int InlineLimitBytes { get; } = (int)Number("Sluice.InlineLimitBytes", 1 << 20, 0, 1 << 30);

    /// <summary>Number of requests that a direct stream reads ahead (0006).</summary>
    public static int ReadAheadDepth { get; } = (int)Number("Sluice.ReadAheadDepth", 4, 1, 64);

    // Read like settings, for tests of the engine; not documented.

    /// <summary>
    /// From here on a continuation is long, in microseconds of its own time: a hop between threads takes 5 to 10, and below that others'
    /// waiting costs less than the hop. "Sluice.LongContinuationMicroseconds".
    /// </summary>
    public static long LongContinuationMicroseconds { get; } = Number("Sluice.LongContinuationMicroseconds", 10, 1, 1_000_000);

    /// <summary>
    /// A ring at most for so many processors, when the number of rings is left to the load. No measurement: this machine has two, and
    /// one ring's thread served 190,000 reads a second there. "Sluice.ProcessorsPerRing".
    /// </summary>
    public static int ProcessorsPerRing { get; } = (int)Number("Sluice.ProcessorsPerRing", 4, 1, 4096);

    /// <summary>Entries of a ring that wait to be submitted.</summary>
    public static uint RingEntries { get; } = (uint)Number("Sluice.RingEntries", 512, 8, 32_768);

    /// <summary>Completions that a ring has room for, no fewer than entries; so many operations, less the extras, are in it.</summary>
    public static uint RingCompletions { get; } = Math.Max(RingEntries, (uint)Number("Sluice.RingCompletions", 4096, 512, 65_536));

    /// <summary>Milliseconds between two looks of the completion thread at a leader that may be stuck in a caller's continuation.</summary>
    public static int WatchMs { get; } = (int)Number("Sluice.WatchMs", 2, 1, 1000);

    /// <summary>Tries in a row of which it takes no entry that are a refusal (0001); no measurement: a second, or some.</summary>
    public static int MaxStarvedLooks { get; } = (int)Number("Sluice.MaxStarvedLooks", 1000, 1, 1_000_000_000);

    /// <summary>What is above continuations' average counts an eighth, as a power of two; as the next two from 0002's loops.</summary>
    public const int ContinuationRiseShift = 3;

    /// <summary>So many times what is long is what a continuation counts at most: one alone makes no average long.</summary>
    public const int ContinuationMaxTimesLong = 6;

    /// <summary>A shorter one takes a 128th of the average, as a power of two: a few hundred forget a long one.</summary>
    public const int ContinuationFallShift = 7;

    /// <summary>Operations for each processor, in a ring or just out of it, from which on long continuations get no calls (0002).</summary>
    public const int CallsPerProcessor = 2;

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

    /// <summary>One place of a ring in so many is kept from what may wait for ever, such as a read of a pipe. No measurement.</summary>
    public const int KeptPlacesPart = 8;

    /// <summary>Requests to cancel and wakers in a ring at once. There is room for completions of these and all operations.</summary>
    public const int MaxExtras = 64;

    /// <summary>
    /// Kernel workers, for each thread that submits, that may block in files which cannot be polled; RLIMIT_NPROC bounds them too.
    /// </summary>
    public const uint MaxBlockingWorkers = 64;

    /// <summary>Completions that are taken together.</summary>
    public const int CompletionsAtOnce = 64;

    /// <summary>
    /// Gathered entries that go in before a leader's batch has ended: the device must not wait for it (74,000 reads/s instead of 50,000).
    /// </summary>
    public const int MaxGathered = 8;

    /// <summary>They go in too where they are one part in so many of what is in flight: a device with little to do must not wait.</summary>
    public const int GatheredPartOfInFlight = 4;

    /// <summary>Batches at whose ends a leader finds other work waiting in the pool before it steps down for it.</summary>
    public const int LeaderPatience = 4;

    /// <summary>Milliseconds that a leader waits for completions before it steps down.</summary>
    public const int LeaderWaitMs = 1;

    /// <summary>Milliseconds until the kernel is tried again after it had no memory.</summary>
    public const int StarvedRetryMs = 1;

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

    /// <summary>Times that one submission may fail with EINTR, EAGAIN or a stray ECANCELED before its caller hears of it.</summary>
    public const int OperationMaxRetries = 64;

    /// <summary>Milliseconds between two stray ECANCELED of a read of a pipe after which the first is forgotten. No measurement.</summary>
    public const int StrayForgottenMs = 100;

    /// <summary>Rings of one kind that are kept between their borrowers. No measurement: a descriptor and some KiB each.</summary>
    public const int BatchRingMaxKept = 8;

    /// <inheritdoc cref="BatchRingMaxKept"/>
    public const int SequentialRingMaxKept = 8;

    /// <inheritdoc cref="BatchRingMaxKept"/>
    public const int FileRingMaxKept = 16;

    /// <summary>Segments that a new cursor has room for. No measurement.</summary>
    public const int SegmentCursorFirstSegments = 16;

    /// <summary>Groups of entries of a tree that wait to be copied (0011).</summary>
    public const int TreeCopierMaxWaitingGroups = 64;

    /// <summary>Threads that copy the entries of a tree at least where source or target is of another machine (0012).</summary>
    public const int TreeCopierRemoteWorkers = 8;

    /// <summary>Full segments of a log that wait to be synced and closed, from which on whoever fills more waits too (0014).</summary>
    public const int LogFullSegments = 32;

    /// <summary>Bytes of zeros that a log writes ahead of frames that are synced often; 0 for none (0014).</summary>
    public const int LogZeroBytes = 256 * 1024;

    /// <summary>
    /// The first stripes of a file that several processes scan, in bytes. All of them must have the same, so it is no setting. No
    /// measurement: long beside a read-ahead, short beside a file that is worth sharing.
    /// </summary>
    public const int ScanStripeBytes = 1024 * 1024;

    /// <summary>The share of what is kept up to which a size drives out others (0007).</summary>
    public const double AlignedBufferPoolMostOfOneSize = 0.75;

    /// <summary>Threads that help a walk of folders, at most (0010). No measurement: two processors.</summary>
    public const int FolderWalkMaxHelpers = 16;

    /// <summary>The least that a copy which is held to a rate moves at once: steps of so many bytes.</summary>
    public const long CopyRateStepBytes = 64 * 1024;

    /// <summary>Frames of which a reader knows whether they are still there, should the next writer have cut them off.</summary>
    public const int LogFramesToGoBack = 64;

    /// <summary>A setting of the environment, or of the program (runtimeconfig.json); null where neither says anything.</summary>
    public static string? Setting(string variable, string knob) =>
        Environment.GetEnvironmentVariable(variable) is { Length: > 0 } value ? value
        : Convert.ToString(AppContext.GetData(knob), CultureInfo.InvariantCulture) is { Length: > 0 } text ? text
        : null;

    /// <summary>A number that a program has set, within its limits; <paramref name="otherwise"/> if it has set none.</summary>
    public static long Number(string knob, long otherwise, long least, long most) =>
        Convert.ToString(AppContext.GetData(knob), CultureInfo.InvariantCulture) is { } text
            && long.TryParse(text, CultureInfo.InvariantCulture, out long value)
            ? Math.Clamp(value, least, most)
            : otherwise;
}
