namespace Sluice.Testing;

/// <summary>
/// Which faults <see cref="FaultyEngine"/> brings about: by probability, from a seed that makes the same choices again, or at the n-th
/// submission. Each probability is 0 to 1. Set it up before its engine is used; the engine reads it from many threads.
/// </summary>
public sealed class FaultPlan
{
    private readonly Dictionary<long, FaultKind> _at = [];

    /// <summary>A plan without faults, whose choices come from <paramref name="seed"/>.</summary>
    public FaultPlan(int seed) => Seed = seed;

    /// <summary>The seed: print it when a test fails.</summary>
    public int Seed { get; }

    /// <summary>Probability of <see cref="FaultKind.ShortTransfer"/>.</summary>
    public double ShortTransfer { get; set; }

    /// <summary>Probability of <see cref="FaultKind.Interrupted"/>.</summary>
    public double Eintr { get; set; }

    /// <summary>Probability of <see cref="FaultKind.Busy"/>.</summary>
    public double Eagain { get; set; }

    /// <summary>Probability of <see cref="FaultKind.DeviceError"/>.</summary>
    public double Eio { get; set; }

    /// <summary>Probability of <see cref="FaultKind.DiskFull"/>, for writes.</summary>
    public double Enospc { get; set; }

    /// <summary>Probability of <see cref="FaultKind.Delay"/>.</summary>
    public double Delay { get; set; }

    /// <summary>The longest delay, in milliseconds.</summary>
    public int MaxDelayMs { get; set; } = 3;

    /// <summary>Probability of <see cref="FaultKind.Reorder"/>.</summary>
    public double Reorder { get; set; }

    /// <summary>
    /// Brings a fault about at the n-th submission, counted from 0, whatever the probabilities say. What is no write fails with EIO where
    /// <see cref="FaultKind.DiskFull"/> is planned; <see cref="FaultKind.ShortTransfer"/> does nothing to what cannot be cut: a flush, an
    /// append, a single byte, or a single block of direct I/O.
    /// </summary>
    /// <param name="submission">Which one.</param>
    /// <param name="kind">The fault.</param>
    /// <returns>This plan.</returns>
    public FaultPlan FailAt(long submission, FaultKind kind)
    {
        _at[submission] = kind;
        return this;
    }

    /// <summary>The fault of one submission: the same for the same seed and number.</summary>
    internal FaultKind Choose(long submission, bool isWrite, out double fraction)
    {
        // A generator of its own for each submission: threads that race for numbers do not change each other's choices.
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

    /// <summary>SplitMix64 (Steele, Lea, Flood 2014). HashCode.Combine gives other numbers in each process.</summary>
    private static int Mix(int seed, long submission)
    {
        ulong mixed = unchecked(((ulong)(uint)seed << 32) + ((ulong)(submission + 1) * 0x9E3779B97F4A7C15));
        mixed = unchecked((mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9);
        mixed = unchecked((mixed ^ (mixed >> 27)) * 0x94D049BB133111EB);
        return unchecked((int)(mixed ^ (mixed >> 31)));
    }
}
