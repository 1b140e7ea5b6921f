using System.Globalization;
using Sluice.Enumeration;

namespace Sluice;

/// <summary>Represents one of several parts into which a task is divided, so that separate processes can perform them.</summary>
/// <remarks>
/// The default value has index 0 and count 1 and represents the whole task. Shards are used by
/// <see cref="SluiceScanOptions.Shard"/> and <see cref="CopyOptions.Shard"/>. This type is immutable and therefore thread-safe.
/// </remarks>
public readonly record struct Shard
{
    private readonly int _others;

    /// <summary>Initializes a shard.</summary>
    /// <param name="index">The zero-based index of the shard.</param>
    /// <param name="count">The number of shards, at least 1.</param>
    /// <exception cref="ArgumentOutOfRangeException">
    /// <paramref name="count"/> is less than 1, or <paramref name="index"/> is negative or not less than
    /// <paramref name="count"/>.
    /// </exception>
    public Shard(int index, int count)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(count, 1);
        ArgumentOutOfRangeException.ThrowIfNegative(index);
        ArgumentOutOfRangeException.ThrowIfGreaterThanOrEqual(index, count);
        Index = index;
        _others = count - 1;
    }

    /// <summary>Gets the zero-based index of the shard. The default is 0.</summary>
    public int Index { get; }

    /// <summary>Gets the number of shards. The default is 1.</summary>
    public int Count => _others + 1;

    /// <summary>Returns the shard of this process that the environment variables of its launcher specify.</summary>
    /// <param name="count">
    /// The number of shards, or <see langword="null"/> (the default) to use the number in the environment. A value is required for
    /// Kubernetes, which provides only the index. If the environment also provides the number, the two must be equal.
    /// </param>
    /// <returns>The shard of this process.</returns>
    /// <exception cref="InvalidOperationException">
    /// <para>None of the variables is set, or their values are invalid or contradict each other.</para>
    /// <para>-or-</para>
    /// <para><paramref name="count"/> is less than 1.</para>
    /// <para>-or-</para>
    /// <para>The process is the script or shell of a Slurm job with several tasks. Only processes that srun starts have a shard.</para>
    /// </exception>
    /// <remarks>
    /// <para>The following sources are recognized. If Open MPI or a PMI launcher provides the shard, <c>SLURM_PROCID</c> is ignored,
    /// because srun may have started that launcher. A source with a count of 1 is ignored if another source is present.</para>
    /// <list type="bullet">
    /// <item><description>Open MPI: <c>OMPI_COMM_WORLD_RANK</c> and <c>OMPI_COMM_WORLD_SIZE</c>.</description></item>
    /// <item><description>Launchers with PMI: <c>PMI_RANK</c> and <c>PMI_SIZE</c>.</description></item>
    /// <item><description>Slurm's srun: <c>SLURM_PROCID</c> and <c>SLURM_STEP_NUM_TASKS</c> or <c>SLURM_NTASKS</c>.</description></item>
    /// <item><description>Slurm job arrays: <c>SLURM_ARRAY_TASK_ID</c>, <c>SLURM_ARRAY_TASK_MIN</c>, <c>SLURM_ARRAY_TASK_MAX</c> and, if
    /// set, <c>SLURM_ARRAY_TASK_STEP</c> (default 1) and <c>SLURM_ARRAY_TASK_COUNT</c>.</description></item>
    /// <item><description>Indexed jobs of Kubernetes: <c>JOB_COMPLETION_INDEX</c>.</description></item>
    /// </list>
    /// </remarks>
    public static Shard FromEnvironment(int? count = null) =>
        ShardEnvironment.Find(Environment.GetEnvironmentVariable, count)
        ?? throw new InvalidOperationException(ShardEnvironment.NothingSet);

    /// <summary>
    /// Tries to get the shard of this process from the environment variables that <see cref="FromEnvironment"/> reads.
    /// </summary>
    /// <param name="shard">
    /// When this method returns <see langword="true"/>, the shard of this process; otherwise, the default value, which is the
    /// whole task.
    /// </param>
    /// <param name="count">
    /// The number of shards, or <see langword="null"/> (the default) to use the number in the environment. A value is required for
    /// Kubernetes, which provides only the index. If the environment also provides the number, the two must be equal.
    /// </param>
    /// <returns>
    /// <see langword="true"/> if the environment specifies a shard; <see langword="false"/> if none of the variables is set.
    /// </returns>
    /// <exception cref="InvalidOperationException">
    /// <para>The values of the variables are invalid or contradict each other.</para>
    /// <para>-or-</para>
    /// <para><paramref name="count"/> is less than 1.</para>
    /// <para>-or-</para>
    /// <para>The process is the script or shell of a Slurm job with several tasks. Only processes that srun starts have a shard.</para>
    /// </exception>
    public static bool TryFromEnvironment(out Shard shard, int? count = null)
    {
        Shard? found = ShardEnvironment.Find(Environment.GetEnvironmentVariable, count);
        shard = found.GetValueOrDefault();
        return found is not null;
    }

    /// <summary>Returns the index and the count, separated by a slash, for example "0/4".</summary>
    /// <returns>The string representation of the shard, in the invariant culture.</returns>
    public override string ToString() => string.Create(CultureInfo.InvariantCulture, $"{Index}/{Count}");
}
