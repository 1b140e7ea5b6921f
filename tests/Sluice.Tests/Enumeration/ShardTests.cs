using Sluice.Enumeration;

namespace Sluice.Tests.Enumeration;

/// <summary>Which part of shared work a process does, by its arguments and by its environment.</summary>
public sealed class ShardTests
{
    public static TheoryData<string, int, int, int?> Right => new()
    {
        { "OMPI_COMM_WORLD_RANK=2 OMPI_COMM_WORLD_SIZE=4", 2, 4, null },
        { "OMPI_COMM_WORLD_RANK=0 OMPI_COMM_WORLD_SIZE=1", 0, 1, null },
        { "OMPI_COMM_WORLD_RANK=2 OMPI_COMM_WORLD_SIZE=4", 2, 4, 4 },
        { "PMI_RANK=3 PMI_SIZE=8", 3, 8, null },
        { "OMPI_COMM_WORLD_RANK=1 OMPI_COMM_WORLD_SIZE=2 PMI_RANK=1 PMI_SIZE=2", 1, 2, null },
        { "SLURM_PROCID=5 SLURM_NTASKS=6", 5, 6, null },
        { "SLURM_JOB_ID=9 SLURM_STEP_ID=0 SLURM_PROCID=5 SLURM_NTASKS=6", 5, 6, null },
        { "SLURM_STEP_ID=1 SLURM_PROCID=1 SLURM_NTASKS=6 SLURM_STEP_NUM_TASKS=2", 1, 2, null },
        { "SLURM_JOB_ID=9 SLURM_PROCID=0 SLURM_NTASKS=1", 0, 1, null },

        // The shell that salloc gives is no step that srun has started.
        { "SLURM_JOB_ID=9 SLURM_STEP_ID=4294967290 SLURM_STEP_NUM_TASKS=1 SLURM_PROCID=0 SLURM_NTASKS=1", 0, 1, null },

        // srun starts one daemon of mpirun on each node, which has its own number.
        { "SLURM_STEP_ID=0 SLURM_PROCID=1 SLURM_NTASKS=2 OMPI_COMM_WORLD_RANK=7 OMPI_COMM_WORLD_SIZE=16", 7, 16, null },
        { "SLURM_ARRAY_TASK_ID=3 SLURM_ARRAY_TASK_MIN=0 SLURM_ARRAY_TASK_MAX=9 SLURM_ARRAY_TASK_COUNT=10", 3, 10, null },
        { "SLURM_ARRAY_TASK_ID=1 SLURM_ARRAY_TASK_MIN=1 SLURM_ARRAY_TASK_MAX=4", 0, 4, null },
        { "SLURM_ARRAY_TASK_ID=9 SLURM_ARRAY_TASK_MIN=1 SLURM_ARRAY_TASK_MAX=13 SLURM_ARRAY_TASK_STEP=4", 2, 4, null },
        { "SLURM_ARRAY_TASK_ID=2 SLURM_ARRAY_TASK_MIN=1 SLURM_ARRAY_TASK_MAX=4 SLURM_JOB_ID=7 SLURM_PROCID=0 SLURM_NTASKS=1", 1, 4, null },
        { "JOB_COMPLETION_INDEX=3", 3, 5, 5 },
        { "SLURM_STEP_ID=0 SLURM_PROCID=0 SLURM_NTASKS=1 SLURM_JOB_ID=7 PMI_RANK=0 PMI_SIZE=1", 0, 1, 1 },
    };

    public static TheoryData<string, string, int?> Wrong => new()
    {
        { "OMPI_COMM_WORLD_RANK=2", "OMPI_COMM_WORLD_SIZE is not", null },
        { "PMI_SIZE=2", "PMI_RANK is not", null },
        { "OMPI_COMM_WORLD_RANK=4 OMPI_COMM_WORLD_SIZE=4", "counts from 0", null },
        { "OMPI_COMM_WORLD_RANK=0 OMPI_COMM_WORLD_SIZE=0", "counts from 0", null },
        { "OMPI_COMM_WORLD_RANK=-1 OMPI_COMM_WORLD_SIZE=4", "no number", null },
        { "OMPI_COMM_WORLD_RANK=one OMPI_COMM_WORLD_SIZE=4", "no number", null },
        { "OMPI_COMM_WORLD_RANK=1 OMPI_COMM_WORLD_SIZE=4 PMI_RANK=2 PMI_SIZE=4", "1/4 and PMI_RANK says 2/4", null },
        { "OMPI_COMM_WORLD_RANK=1 OMPI_COMM_WORLD_SIZE=4", "5 parts were asked for", 5 },
        { "PMI_RANK=1 PMI_SIZE=2 SLURM_ARRAY_TASK_ID=3 SLURM_ARRAY_TASK_MIN=0 SLURM_ARRAY_TASK_MAX=9", "says 1/2 and", null },
        { "SLURM_PROCID=1 SLURM_STEP_ID=0", "SLURM_NTASKS is not", null },
        { "SLURM_JOB_ID=9 SLURM_PROCID=0 SLURM_NTASKS=6", "srun", null },
        { "SLURM_JOB_ID=9 SLURM_STEP_ID=4294967290 SLURM_STEP_NUM_TASKS=1 SLURM_PROCID=0 SLURM_NTASKS=8", "srun", null },
        { "SLURM_PROCID=0 SLURM_NTASKS=1 SLURM_STEP_ID=x", "no number", null },
        { "SLURM_ARRAY_TASK_ID=3", "SLURM_ARRAY_TASK_MIN is not", null },
        { "SLURM_ARRAY_TASK_ID=2 SLURM_ARRAY_TASK_MIN=0 SLURM_ARRAY_TASK_MAX=2147483647", "of 2147483648 from 0", null },
        { "SLURM_ARRAY_TASK_ID=3 SLURM_ARRAY_TASK_MIN=1 SLURM_ARRAY_TASK_MAX=7 SLURM_ARRAY_TASK_COUNT=3", "cannot be told", null },
        { "SLURM_ARRAY_TASK_ID=8 SLURM_ARRAY_TASK_MIN=1 SLURM_ARRAY_TASK_MAX=7 SLURM_ARRAY_TASK_COUNT=7", "cannot be told", null },
        { "JOB_COMPLETION_INDEX=3", "count has to be given", null },
        { "JOB_COMPLETION_INDEX=5", "counts from 0", 5 },
        { "JOB_COMPLETION_INDEX=1", "there cannot be 0 parts", 0 },
    };

    [Theory]
    [MemberData(nameof(Right))]
    public void What_starts_a_process_says_which_part_it_is(string environment, int index, int size, int? count) =>
        Find(environment, count).ShouldBe(new Shard(index, size));

    [Theory]
    [MemberData(nameof(Wrong))]
    public void What_makes_no_sense_is_said_in_one_line(string environment, string told, int? count)
    {
        InvalidOperationException error = Should.Throw<InvalidOperationException>(() => Find(environment, count));
        error.Message.ShouldContain(told);
        error.Message.ShouldNotContain("\n");
    }

    [Theory]
    [InlineData("")]
    [InlineData("OMPI_COMM_WORLD_RANK= PMI_RANK= SLURM_PROCID=")]
    [InlineData("SLURM_PROCID=0")]
    [InlineData("SLURM_STEP_ID=4294967290 SLURM_STEP_NUM_TASKS=1 SLURM_PROCID=0")]
    public void A_process_that_was_started_by_hand_is_told_nothing(string environment) => Find(environment, null).ShouldBeNull();

    [Fact]
    public void There_is_no_part_outside_the_whole()
    {
        Should.Throw<ArgumentOutOfRangeException>(() => new Shard(0, 0));
        Should.Throw<ArgumentOutOfRangeException>(() => new Shard(-1, 4));
        Should.Throw<ArgumentOutOfRangeException>(() => new Shard(4, 4));
        default(Shard).ShouldBe(new Shard(0, 1));
        new Shard(3, 4).ToString().ShouldBe("3/4");
    }

    private static Shard? Find(string environment, int? count)
    {
        Dictionary<string, string> values = environment.Split(' ', StringSplitOptions.RemoveEmptyEntries)
            .Select(v => v.Split('=')).ToDictionary(v => v[0], v => v[1]);
        return ShardEnvironment.Find(values.GetValueOrDefault, count);
    }
}
