using System.Globalization;

namespace Sluice.Kernel;

/// <summary>
/// The settings of the library (docs/guide.md), and constants of several files. A program sets a setting in runtimeconfig.json, or with
/// AppContext.SetData before its first use of Sluice. Unless stated otherwise, constants were measured on two cores with Linux 6.18 and
/// ext4 on a virtio disk that reads 4 KiB in 60 us. A number in parentheses is a page of docs/decisions.
/// </summary>
internal static class Tuning
{
    /// <summary>"uring" or "pool"; null for io_uring if the kernel allows it.</summary>
    public static string? Engine => Setting("SLUICE_ENGINE", "Sluice.Engine");

    /// <summary>The number of rings for handles and streams; null for as many as the load requires.</summary>
    public static string? Rings => Setting("SLUICE_RINGS", "Sluice.Rings");

    /// <summary>The maximum size of the pool of aligned memory, in bytes.</summary>
    public static int MaxKeptMemoryBytes { get; } = (int)Number("Sluice.MaxKeptMemoryBytes", 16 * 1024 * 1024, 0, 1 << 30);

    /// <summary>The maximum number of threads that a batch of reads uses if there is no ring (0008).</summary>
    public static int MaxBatchThreads { get; } = (int)Number("Sluice.MaxBatchThreads", 64, 1, 4096);

    /// <summary>The maximum number of bytes that an asynchronous call copies on the calling thread.</summary>
    public static int InlineLimitBytes { get; } = (int)Number("Sluice.InlineLimitBytes", 1 << 20, 0, 1 << 30);

    /// <summary>The number of requests that a direct stream reads ahead (0006).</summary>
    public static int ReadAheadDepth { get; } = (int)Number("Sluice.ReadAheadDepth", 4, 1, 64);

    // Undocumented settings for tests of the engine.

    /// <summary>
    /// The duration from which a continuation counts as long, in microseconds: a switch between threads takes 5 to 10, and below that the
    /// wait of other continuations costs less than the switch. The setting is "Sluice.LongContinuationMicroseconds".
    /// </summary>
    public static long LongContinuationMicroseconds { get; } = Number("Sluice.LongContinuationMicroseconds", 10, 1, 1_000_000);

    /// <summary>
    /// The number of processors for each ring if the number of rings depends on the load. Not measured: the machine had two processors,
    /// where the thread of one ring served 190,000 reads a second. The setting is "Sluice.ProcessorsPerRing".
    /// </summary>
    public static int ProcessorsPerRing { get; } = (int)Number("Sluice.ProcessorsPerRing", 4, 1, 4096);

    /// <summary>The size of the submission queue of a ring.</summary>
    public static uint RingEntries { get; } = (uint)Number("Sluice.RingEntries", 512, 8, 32_768);

    /// <summary>
    /// The size of the completion queue of a ring, at least that of the submission queue. It limits the number of operations in the ring.
    /// </summary>
    public static uint RingCompletions { get; } = Math.Max(RingEntries, (uint)Number("Sluice.RingCompletions", 4096, 512, 65_536));

    /// <summary>
    /// The interval, in milliseconds, at which the completion thread checks whether the leader is blocked in a continuation.
    /// </summary>
    public static int WatchMs { get; } = (int)Number("Sluice.WatchMs", 2, 1, 1000);

    /// <summary>
    /// The weight of a continuation that is longer than the average, as a power of two: an eighth. Measured with the loops of 0002, as are
    /// the next two.
    /// </summary>
    public const int ContinuationRiseShift = 3;

    /// <summary>
    /// The limit of the time that one continuation contributes, in multiples of a long one, so that a single one does not make the average
    /// long.
    /// </summary>
    public const int ContinuationMaxTimesLong = 6;

    /// <summary>
    /// The weight of a continuation that is shorter than the average, as a power of two: a 128th, so that a long one counts for a few
    /// hundred others.
    /// </summary>
    public const int ContinuationFallShift = 7;

    /// <summary>
    /// The number of operations for each processor, in flight or just completed, from which on long continuations do not cause blocking
    /// calls (0002).
    /// </summary>
    public const int CallsPerProcessor = 2;

    /// <summary>The mask of the submission count: one submission in 64 checks whether another thread has the lock.</summary>
    public const int ContentionSample = 63;

    /// <summary>The increase of the contention value by a check that finds the lock taken.</summary>
    public const int ContentionStep = 64;

    /// <summary>
    /// The decrease of the contention value by a check that finds the lock free, as a power of two: a sixteenth. Not measured.
    /// </summary>
    public const int ContentionForgetShift = 4;

    /// <summary>
    /// The contention value above which another ring is created: about every fifth check finds the lock taken. Not measured.
    /// </summary>
    public const int MaxContention = 256;

    /// <summary>
    /// The maximum number of consecutive rounds in which a thread submits entries of other threads. These then wait for the lock.
    /// </summary>
    public const int MaxPendingRounds = 8;

    /// <summary>
    /// The part of a ring's slots, one in this number, that is not available to operations that may wait forever, such as a read of a pipe.
    /// Not measured.
    /// </summary>
    public const int ReservedSlotsPart = 8;

    /// <summary>The maximum number of wake-ups in a ring. The completion queue has room for them and for all operations.</summary>
    public const int MaxWakeUps = 64;

    /// <summary>The maximum number of completions that are taken from a ring at once.</summary>
    public const int CompletionsAtOnce = 64;

    /// <summary>
    /// The number of gathered entries that a leader submits before its batch has ended, so that the device does not wait (74,000 reads/s
    /// instead of 50,000).
    /// </summary>
    public const int MaxGathered = 8;

    /// <summary>
    /// The part of the operations in flight, one in this number, from which on a leader also submits gathered entries, so that the device
    /// does not wait.
    /// </summary>
    public const int GatheredPartOfInFlight = 4;

    /// <summary>The number of batches at whose end the pool has other work after which a leader gives up its role.</summary>
    public const int LeaderPatience = 4;

    /// <summary>The maximum time, in milliseconds, that a leader waits for completions before it gives up its role.</summary>
    public const int LeaderWaitMs = 1;

    /// <summary>
    /// The number of milliseconds without a completion after which the completion thread leaves the kernel if nothing is in flight.
    /// </summary>
    public const int IdleMs = 500;

    /// <summary>The interval, in milliseconds, of checks for completions if waiting in the kernel is refused.</summary>
    public const int RefusedPollMs = 1;

    /// <summary>
    /// The number of milliseconds for which continuations are treated as long after one has blocked a leader. It doubles with each further
    /// one.
    /// </summary>
    public const int FirstPenaltyMs = 20;

    /// <summary>The maximum of the time for which continuations are treated as long, in milliseconds.</summary>
    public const int LongestPenaltyMs = 10_000;

    /// <summary>The number of milliseconds without a blocked leader after which that time starts again at the first value.</summary>
    public const int PenaltyForgivenAfterMs = 1000;

    /// <summary>
    /// The maximum number of times that a submission may fail with EINTR, EAGAIN or a spurious ECANCELED before the caller gets the error.
    /// </summary>
    public const int OperationMaxRetries = 64;

    /// <summary>The number of milliseconds after which a spurious ECANCELED of a read of a pipe no longer counts. Not measured.</summary>
    public const int StrayForgottenMs = 100;

    /// <summary>The maximum number of unused rings of one kind. Not measured: each takes a descriptor and some KiB.</summary>
    public const int BatchRingMaxKept = 8;

    /// <inheritdoc cref="BatchRingMaxKept"/>
    public const int SequentialRingMaxKept = 8;

    /// <inheritdoc cref="BatchRingMaxKept"/>
    public const int FileRingMaxKept = 16;

    /// <summary>The initial capacity of a cursor, in segments. Not measured.</summary>
    public const int SegmentCursorFirstSegments = 16;

    /// <summary>The maximum number of groups of entries of a tree that wait to be copied (0011).</summary>
    public const int TreeCopierMaxWaitingGroups = 64;

    /// <summary>The minimum number of threads that copy the entries of a tree if the source or the target is remote (0012).</summary>
    public const int TreeCopierRemoteWorkers = 8;

    /// <summary>
    /// The number of full segments that wait to be made durable and closed from which on appends that fill another segment wait (0014).
    /// </summary>
    public const int LogFullSegments = 32;

    /// <summary>The number of zeros that a log writes ahead of frames that are flushed often, in bytes; 0 to disable this (0014).</summary>
    public const int LogZeroBytes = 256 * 1024;

    /// <summary>
    /// The size of the stripes of a file that several processes scan, in bytes. It is not a setting, because all processes must use the
    /// same value. Not measured: large compared to the read-ahead, small compared to a file that is worth sharing.
    /// </summary>
    public const int ScanStripeBytes = 16 * 1024 * 1024;

    /// <summary>The share of the pool up to which buffers of one size evict buffers of other sizes (0007).</summary>
    public const double AlignedBufferPoolMostOfOneSize = 0.75;

    /// <summary>The maximum number of threads that help an enumeration (0010). Not measured: the machine had two processors.</summary>
    public const int FolderWalkMaxHelpers = 16;

    /// <summary>The minimum number of bytes that a rate-limited copy transfers at once.</summary>
    public const long CopyRateStepBytes = 64 * 1024;

    /// <summary>The number of frames that a log reader remembers to detect that a later writer has removed them.</summary>
    public const int LogFramesToGoBack = 64;

    /// <summary>
    /// Returns the value of an environment variable or, if it is not set, of a runtimeconfig.json setting; null if neither is set.
    /// </summary>
    public static string? Setting(string variable, string knob) =>
        Environment.GetEnvironmentVariable(variable) is { Length: > 0 } value ? value
        : Convert.ToString(AppContext.GetData(knob), CultureInfo.InvariantCulture) is { Length: > 0 } text ? text
        : null;

    /// <summary>Returns a number from the settings, limited to its range, or <paramref name="otherwise"/> if it is not set.</summary>
    public static long Number(string knob, long otherwise, long least, long most) =>
        Convert.ToString(AppContext.GetData(knob), CultureInfo.InvariantCulture) is { } text
            && long.TryParse(text, CultureInfo.InvariantCulture, out long value)
            ? Math.Clamp(value, least, most)
            : otherwise;
}
