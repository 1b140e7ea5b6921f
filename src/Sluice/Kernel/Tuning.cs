using System.Globalization;

namespace Sluice.Kernel;

/// <summary>
/// The tuned numbers of the library: their units, and what they were tuned on. Unless something else is said that is the machine of
/// docs/decisions/0001: two cores, Linux 6.18, ext4 on a virtio disk that reads 4 KiB in 60 us. Those that depend on the machine are
/// properties: a program sets them by the name given, as runtimeconfig knobs or by AppContext.SetData before its first use of Sluice.
/// </summary>
internal static class Tuning
{
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

    /// <summary>
    /// One submission of so many, and one, looks whether the submission lock is another thread's at that moment: a power of two less one.
    /// </summary>
    public const int ContentionSample = 63;

    /// <summary>What each look that finds it taken counts; a look that finds it free forgets a sixteenth.</summary>
    public const int ContentionStep = 64;

    /// <summary>Above this another ring is made: about every fourth look. No measurement: see <see cref="ProcessorsPerRing"/>.</summary>
    public const int ContentionMost = 256;

    /// <summary>Entries of a ring that wait to be submitted.</summary>
    public const uint RingEntries = 512;

    /// <summary>Completions that a ring has room for; so many operations, less <see cref="MaxExtras"/>, are in it at most.</summary>
    public const uint RingCompletions = 4096;

    /// <summary>
    /// Requests to cancel and wakers in a ring at once. Together with the operations they are as many as completions have room, so that
    /// none can be lost.
    /// </summary>
    public const int MaxExtras = 64;

    /// <summary>
    /// Kernel workers, for each thread that submits, that may block in files which cannot be polled; RLIMIT_NPROC bounds them too.
    /// </summary>
    public const uint MaxBlockingWorkers = 64;

    /// <summary>Completions that are taken together.</summary>
    public const int CompletionsAtOnce = 64;

    /// <summary>
    /// Gathered entries that go in before a leader's batch has ended: the device must not wait for it (74,000 of 50,000 reads/s).
    /// </summary>
    public const int MaxGathered = 8;

    /// <summary>Batches at whose ends a leader finds other work waiting in the pool before it steps down for it.</summary>
    public const int LeaderPatience = 4;

    /// <summary>Milliseconds that a leader waits for completions before it steps down.</summary>
    public const int LeaderWaitMs = 1;

    /// <summary>Milliseconds between two looks of the completion thread at a leader that may be stuck in a caller's continuation.</summary>
    public const int WatchMs = 2;

    /// <summary>Milliseconds until the kernel is tried again after it had no memory.</summary>
    public const int StarvedRetryMs = 1;

    /// <summary>
    /// Milliseconds after which the completion thread looks by itself: where the kernel takes no entry, nobody can wake it.
    /// </summary>
    public const int LookAgainMs = 500;

    /// <summary>Milliseconds between two looks for completions where they may not be waited for in the kernel.</summary>
    public const int RefusedLookMs = 1;

    /// <summary>Milliseconds without leaders after the first that was stuck, then twice as long each time.</summary>
    public const int FirstPenaltyMs = 20;

    /// <summary>The longest of them.</summary>
    public const int LongestPenaltyMs = 10_000;

    /// <summary>Milliseconds without one that was stuck after which the next penalty is a first one again.</summary>
    public const int PenaltyForgivenAfterMs = 1000;

    /// <summary>A setting of the environment, or of the program (runtimeconfig.json); null where neither says anything.</summary>
    public static string? Setting(string variable, string knob) =>
        Environment.GetEnvironmentVariable(variable) is { Length: > 0 } value ? value
        : Convert.ToString(AppContext.GetData(knob), CultureInfo.InvariantCulture) is { Length: > 0 } text ? text
        : null;

    private static long Number(string knob, long otherwise, long least, long most) =>
        long.TryParse(Convert.ToString(AppContext.GetData(knob), CultureInfo.InvariantCulture), CultureInfo.InvariantCulture, out long value)
            ? Math.Clamp(value, least, most)
            : otherwise;
}
