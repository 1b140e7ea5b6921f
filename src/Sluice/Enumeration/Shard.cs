using System.Globalization;
using Sluice.Enumeration;

namespace Sluice;

/// <summary>
/// One of several equal parts of a piece of work, each done by another process: <see cref="Index"/> of <see cref="Count"/>, counted from
/// 0. The default is the whole. See <see cref="SluiceScanOptions.Shard"/> and <see cref="CopyOptions"/>.
/// </summary>
public readonly record struct Shard
{
    private readonly int _others;

    /// <summary>Makes a part.</summary>
    /// <param name="index">Which part, from 0 on.</param>
    /// <param name="count">How many there are.</param>
    /// <exception cref="ArgumentOutOfRangeException">There is no such part, or there are none.</exception>
    public Shard(int index, int count)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(count, 1);
        ArgumentOutOfRangeException.ThrowIfNegative(index);
        ArgumentOutOfRangeException.ThrowIfGreaterThanOrEqual(index, count);
        Index = index;
        _others = count - 1;
    }

    /// <summary>Which part this is: 0 to <see cref="Count"/> less one.</summary>
    public int Index { get; }

    /// <summary>How many parts there are.</summary>
    public int Count => _others + 1;

    /// <summary>
    /// The part that belongs to this process by what started it: Open MPI (<c>OMPI_COMM_WORLD_RANK</c> of <c>OMPI_COMM_WORLD_SIZE</c>), a
    /// launcher with PMI (<c>PMI_RANK</c> of <c>PMI_SIZE</c>), srun (<c>SLURM_PROCID</c> of <c>SLURM_STEP_NUM_TASKS</c> or
    /// <c>SLURM_NTASKS</c>), an array of Slurm jobs (<c>SLURM_ARRAY_TASK_ID</c> between <c>_MIN</c> and <c>_MAX</c> by <c>_STEP</c>), or an
    /// indexed job of Kubernetes (<c>JOB_COMPLETION_INDEX</c>). A launcher's word counts more than that of srun, which may have started the
    /// launcher.
    /// </summary>
    /// <param name="count">
    /// How many parts there are, where the environment does not tell: Kubernetes gives the index alone. Where it tells, this must be the
    /// same number.
    /// </param>
    /// <exception cref="InvalidOperationException">Nothing of all this is set, or what is set makes no sense together.</exception>
    public static Shard FromEnvironment(int? count = null) =>
        ShardEnvironment.Find(Environment.GetEnvironmentVariable, count)
        ?? throw new InvalidOperationException(ShardEnvironment.NothingSet);

    /// <summary>As <see cref="FromEnvironment"/>; false where nothing of it is set, as in a process that was started by hand.</summary>
    /// <param name="shard">The part; the whole where this is false.</param>
    /// <param name="count">See <see cref="FromEnvironment"/>.</param>
    /// <exception cref="InvalidOperationException">What is set makes no sense together.</exception>
    public static bool TryFromEnvironment(out Shard shard, int? count = null)
    {
        Shard? found = ShardEnvironment.Find(Environment.GetEnvironmentVariable, count);
        shard = found.GetValueOrDefault();
        return found is not null;
    }

    /// <summary>Index and count with a slash between them: <c>0/4</c>.</summary>
    public override string ToString() => string.Create(CultureInfo.InvariantCulture, $"{Index}/{Count}");
}
