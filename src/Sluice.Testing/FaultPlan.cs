namespace Sluice.Testing;

/// <summary>Defines the faults that a <see cref="FaultyEngine"/> causes, either at random or at specific submissions.</summary>
/// <remarks>
/// <para>
/// Each operation that is passed to the engine is a submission. Submissions are numbered from 0. The seed, the probabilities and the number
/// of a submission determine its fault, so that a test can be repeated.
/// </para>
/// <para>Each submission has at most one fault, so the sum of all probabilities should not be greater than 1.</para>
/// <para>This type is not thread-safe while it is changed. Do not change the plan after the engine has been used for the first time.</para>
/// </remarks>
public sealed class FaultPlan
{
    private readonly Dictionary<long, FaultKind> _at = [];

    /// <summary>Initializes a new instance of the <see cref="FaultPlan"/> class without faults.</summary>
    /// <param name="seed">The seed of the random choices.</param>
    public FaultPlan(int seed) => Seed = seed;

    /// <summary>Gets the seed of the random choices. A test should print it when it fails.</summary>
    public int Seed { get; }

    /// <summary>Gets or sets the probability of <see cref="FaultKind.ShortTransfer"/>.</summary>
    /// <value>A number from 0 to 1. The default is 0.</value>
    public double ShortTransfer { get; set; }

    /// <summary>Gets or sets the probability of <see cref="FaultKind.Interrupted"/>.</summary>
    /// <value>A number from 0 to 1. The default is 0.</value>
    public double Eintr { get; set; }

    /// <summary>Gets or sets the probability of <see cref="FaultKind.Busy"/>.</summary>
    /// <value>A number from 0 to 1. The default is 0.</value>
    public double Eagain { get; set; }

    /// <summary>Gets or sets the probability of <see cref="FaultKind.DeviceError"/>.</summary>
    /// <value>A number from 0 to 1. The default is 0.</value>
    public double Eio { get; set; }

    /// <summary>Gets or sets the probability of <see cref="FaultKind.DiskFull"/>. It applies to writes only.</summary>
    /// <value>A number from 0 to 1. The default is 0.</value>
    public double Enospc { get; set; }

    /// <summary>Gets or sets the probability of <see cref="FaultKind.Delay"/>.</summary>
    /// <value>A number from 0 to 1. The default is 0.</value>
    public double Delay { get; set; }

    /// <summary>Gets or sets the maximum delay of a completion, in milliseconds.</summary>
    /// <value>The default is 3.</value>
    public int MaxDelayMs { get; set; } = 3;

    /// <summary>Gets or sets the probability of <see cref="FaultKind.Reorder"/>.</summary>
    /// <value>A number from 0 to 1. The default is 0.</value>
    public double Reorder { get; set; }

    /// <summary>Plans a fault for a specific submission, regardless of the probabilities.</summary>
    /// <param name="submission">The number of the submission, counted from 0.</param>
    /// <param name="kind">The fault, or <see cref="FaultKind.None"/> if the submission must have no fault.</param>
    /// <returns>This plan, so that calls can be chained.</returns>
    /// <remarks>
    /// <para>If this method is called again for the same submission, the later call applies.</para>
    /// <para>
    /// If <see cref="FaultKind.DiskFull"/> is planned for an operation that is not a write, the operation fails with EIO.
    /// <see cref="FaultKind.ShortTransfer"/> has no effect on operations that cannot be shortened: a flush, an append, a transfer of
    /// one byte, and a transfer of one block of direct I/O.
    /// </para>
    /// </remarks>
    public FaultPlan FailAt(long submission, FaultKind kind)
    {
        _at[submission] = kind;
        return this;
    }

    /// <summary>Returns the fault of a submission. The result depends only on the seed and the number of the submission.</summary>
    internal FaultKind Choose(long submission, bool isWrite, out double fraction)
    {
        // Each submission has its own generator, so that the order of threads does not affect the choices.
#pragma warning disable CA5394 // Reproducible on purpose.
        Random random = new(Mix(Seed, submission));
        fraction = random.NextDouble();
        if (_at.TryGetValue(submission, out FaultKind planned))
        {
            return planned;
        }

        double dice = random.NextDouble();
#pragma warning restore CA5394
        ReadOnlySpan<(double Probability, FaultKind Kind)> kinds =
        [
            (ShortTransfer, FaultKind.ShortTransfer),
            (Eintr, FaultKind.Interrupted),
            (Eagain, FaultKind.Busy),
            (Eio, FaultKind.DeviceError),
            (isWrite ? Enospc : 0, FaultKind.DiskFull),
            (Delay, FaultKind.Delay),
            (Reorder, FaultKind.Reorder),
        ];
        foreach ((double probability, FaultKind kind) in kinds)
        {
            if (dice < probability)
            {
                return kind;
            }

            dice -= probability;
        }

        return FaultKind.None;
    }

    /// <summary>
    /// Mixes the seed and the number with SplitMix64 (Steele, Lea, Flood 2014). The result of HashCode.Combine would differ between
    /// processes.
    /// </summary>
    private static int Mix(int seed, long submission)
    {
        ulong mixed = unchecked(((ulong)(uint)seed << 32) + ((ulong)(submission + 1) * 0x9E3779B97F4A7C15));
        mixed = unchecked((mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9);
        mixed = unchecked((mixed ^ (mixed >> 27)) * 0x94D049BB133111EB);
        return unchecked((int)(mixed ^ (mixed >> 31)));
    }
}
