using System.Globalization;

namespace Sluice.Enumeration;

/// <summary>Determines the shard of a process from the environment variables of its launcher.</summary>
internal static class ShardEnvironment
{
    public const string NothingSet =
        "The environment does not say which part this is: there is no OMPI_COMM_WORLD_RANK, PMI_RANK, SLURM_PROCID, SLURM_ARRAY_TASK_ID or "
        + "JOB_COMPLETION_INDEX.";

    /// <summary>
    /// The first of the step IDs of Slurm that do not belong to steps that srun started, but for example to the job script.
    /// </summary>
    private const uint FirstSpecialStep = 0xFFFFFFF0;

    /// <summary>Returns the shard, or null if no variable is set.</summary>
    /// <param name="get">Returns the value of a variable, or null.</param>
    /// <param name="count">The number of shards that the caller specifies, or null.</param>
    /// <exception cref="InvalidOperationException">The variables are invalid or contradict each other.</exception>
    public static Shard? Find(Func<string, string?> get, int? count)
    {
        if (count is < 1)
        {
            throw Nonsense($"there cannot be {count} parts");
        }

        List<(string Name, Shard Shard)> found = [];
        Add(found, Launcher(get) ?? SlurmTask(get));
        Add(found, SlurmArray(get));
        Add(found, Kubernetes(get, count));

        // A count of 1 is ignored if there are other sources, for example in a job array of single tasks.
        if (found.Count > 1)
        {
            (string Name, Shard Shard) first = found[0];
            _ = found.RemoveAll(f => f.Shard.Count == 1);
            Add(found, found.Count == 0 ? first : null);
        }

        foreach ((string name, Shard shard) in found)
        {
            if (shard != found[0].Shard)
            {
                throw Nonsense($"{found[0].Name} says {found[0].Shard} and {name} says {shard}; one of them has to be named");
            }
        }

        if (found.Count > 0 && count is { } wanted && found[0].Shard.Count != wanted)
        {
            throw Nonsense($"{found[0].Name} says {found[0].Shard}, and {wanted} parts were asked for");
        }

        return found.Count == 0 ? null : found[0].Shard;
    }

    private static void Add(List<(string Name, Shard Shard)> found, (string Name, Shard Shard)? one)
    {
        if (one is { } shard)
        {
            found.Add(shard);
        }
    }

    /// <summary>
    /// Returns the shard of the launcher, or null. If there are two launchers, it is unknown which one is the inner one, so their shards
    /// must be equal.
    /// </summary>
    private static (string Name, Shard Shard)? Launcher(Func<string, string?> get)
    {
        (string Name, Shard Shard)? ompi = Pair(get, "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE");
        (string Name, Shard Shard)? pmi = Pair(get, "PMI_RANK", "PMI_SIZE");
        return ompi is { } one && pmi is { } other && one.Shard != other.Shard
            ? throw Nonsense($"{one.Name} says {one.Shard} and {other.Name} says {other.Shard}; one of them has to be named")
            : ompi ?? pmi;
    }

    private static (string Name, Shard Shard)? SlurmTask(Func<string, string?> get)
    {
        bool isInStep = Has(get, "SLURM_STEP_ID") && !IsSpecialStep(get("SLURM_STEP_ID")) && Number(get, "SLURM_STEP_ID") is not null;
        string size = isInStep && Has(get, "SLURM_STEP_NUM_TASKS") ? "SLURM_STEP_NUM_TASKS" : "SLURM_NTASKS";
        if (!Has(get, "SLURM_PROCID") || (!isInStep && !Has(get, size)))
        {
            return null;
        }

        (string Name, Shard Shard)? task = Pair(get, "SLURM_PROCID", size);
        return task is { Shard.Count: > 1 } && !isInStep && Has(get, "SLURM_JOB_ID")
            ? throw Nonsense(
                $"the job has {task.Value.Shard.Count} tasks, and this is its script or shell, which runs once: start it with srun")
            : task;
    }

    private static (string Name, Shard Shard)? SlurmArray(Func<string, string?> get)
    {
        const string name = "SLURM_ARRAY_TASK_ID";
        if (Number(get, name) is not { } id)
        {
            return null;
        }

        int first = Needed(get, "SLURM_ARRAY_TASK_MIN", name);
        int last = Needed(get, "SLURM_ARRAY_TASK_MAX", name);
        int step = Number(get, "SLURM_ARRAY_TASK_STEP") ?? 1;
        long count = Number(get, "SLURM_ARRAY_TASK_COUNT") ?? (step > 0 && last >= first ? (((long)last - first) / step) + 1 : 0);
        bool isRegular = step > 0 && count is > 0 and <= int.MaxValue && id >= first && id <= last
            && (count - 1) * step == last - first && (id - first) % step == 0;
        return isRegular
            ? (name, Part(name, (id - first) / step, (int)count))
            : throw Nonsense($"{name} is {id}, of {count} from {first} to {last}, and its place among them cannot be told from that");
    }

    private static (string Name, Shard Shard)? Kubernetes(Func<string, string?> get, int? count)
    {
        const string name = "JOB_COMPLETION_INDEX";
        return Number(get, name) is not { } index ? null
            : count is { } known ? (name, Part(name, index, known))
            : throw Nonsense($"{name} is {index}, and Kubernetes does not say of how many: the count has to be given");
    }

    private static (string Name, Shard Shard)? Pair(Func<string, string?> get, string rank, string size)
    {
        int? index = Number(get, rank);
        int? count = Number(get, size);
        return index is null && count is null ? null
            : index is null ? throw Nonsense($"{size} is set, and {rank} is not")
            : count is null ? throw Nonsense($"{rank} is set, and {size} is not")
            : (rank, Part(rank, index.Value, count.Value));
    }

    private static Shard Part(string name, int index, int count) =>
        index < count ? new Shard(index, count) : throw Nonsense($"{name} is {index}, of {count}; it counts from 0");

    private static bool IsSpecialStep(string? id) =>
        uint.TryParse(id, NumberStyles.None, CultureInfo.InvariantCulture, out uint number) && number >= FirstSpecialStep;

    private static bool Has(Func<string, string?> get, string name) => !string.IsNullOrEmpty(get(name));

    private static int Needed(Func<string, string?> get, string name, string beside) =>
        Number(get, name) ?? throw Nonsense($"{beside} is set, and {name} is not");

    private static int? Number(Func<string, string?> get, string name) =>
        !Has(get, name) ? null
        : int.TryParse(get(name), NumberStyles.None, CultureInfo.InvariantCulture, out int value) ? value
        : throw Nonsense($"{name} is '{get(name)}', which is no number");

    private static InvalidOperationException Nonsense(string what) =>
        new($"The environment does not say which part this is: {what}.");
}
