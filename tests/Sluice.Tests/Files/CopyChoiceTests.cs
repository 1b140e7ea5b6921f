using System.Diagnostics;
using Sluice.Copying;

namespace Sluice.Tests.Files;

/// <summary>What a copy finds out about its ways costs little, whatever they are worth; and it notices when that changes.</summary>
public sealed class CopyChoiceTests
{
    private const long MiB = 1 << 20;
    private const long Unit = 16 * MiB;

    [Fact]
    public void A_copy_takes_hardly_longer_than_by_the_best_way()
    {
        Random random = new(20_261_123);
        for (int round = 0; round < 2_000; round++)
        {
            int ways = random.Next(2, 4);
            double[] rates = [.. Enumerable.Range(0, ways).Select(_ => 1e9 * Math.Pow(10, random.NextDouble() - 0.5))];
            if (ways == 3)
            {
                // The same way in another size.
                rates[1] = rates[0] * (0.5 + random.NextDouble());
            }

            long length = random.Next(1024, 8192) * MiB;
            double seconds = Copy(new CopyChoice(ways, Unit, length, Unit / 2), length, (way, _) => rates[way]);
            double best = length / rates.Max();
            (seconds / best).ShouldBeLessThan(1.1, $"round {round}: {string.Join(", ", rates)}, {length / MiB} MiB");
        }
    }

    [Fact]
    public void The_preferred_way_is_taken_where_another_gains_less_than_a_twentieth()
    {
        CopyChoice choice = new(3, Unit, 2048 * MiB, Unit / 2);
        Copy(choice, 2048 * MiB, (way, _) => way == 0 ? 1e9 : 1.04e9);
        choice.Most.ShouldBe(0);
        choice = new CopyChoice(3, Unit, 2048 * MiB, Unit / 2);
        Copy(choice, 2048 * MiB, (way, _) => way == 2 ? 1.07e9 : 1e9);
        choice.Most.ShouldBe(2);
        choice.Describe(["a", "b", "c"]).ShouldBe("measured on its parts, MiB/s: a 954, b 954, c 1,020");
    }

    /// <summary>As the page cache, whose read-ahead begins anew where another way has read.</summary>
    [Theory]
    [InlineData(512, 1.9e9, 2.5e9, 0.003, 1.12)]
    [InlineData(1024, 1.9e9, 2.5e9, 0.003, 1.1)]
    [InlineData(8192, 1.9e9, 2.5e9, 0.003, 1.1)]
    [InlineData(512, 1e9, 1.9e9, 0.010, 1.12)]
    [InlineData(1024, 1e9, 1.9e9, 0.010, 1.1)]
    [InlineData(8192, 1e9, 1.9e9, 0.010, 1.1)]
    public void A_way_that_needs_a_while_to_begin_is_taken_where_it_is_faster_then(
        int mebibytes, double slower, double faster, double beginSeconds, double times)
    {
        long length = mebibytes * MiB;
        CopyChoice choice = new(3, Unit, length, Unit / 2);
        int last = -1;
        double seconds = Copy(choice, length, (way, _) => way == 0 ? slower : way == 1 ? slower * 0.95 : faster, way =>
        {
            double began = way == 2 && last != 2 ? beginSeconds : 0;
            last = way;
            return began;
        });
        choice.Most.ShouldBe(2);
        (seconds / (length / faster)).ShouldBeLessThan(times);
    }

    /// <summary>As when the page cache has taken what it may.</summary>
    [Fact]
    public void A_way_that_becomes_slow_is_left()
    {
        CopyChoice choice = new(2, Unit, 16_384 * MiB, Unit / 2);
        double seconds = Copy(choice, 16_384 * MiB, (way, at) => way == 0 ? 1e9 : at < 2048 * MiB ? 2e9 : 0.2e9);
        choice.Most.ShouldBe(0);
        double best = (2048 * MiB / 2e9) + (14_336 * MiB / 1e9);
        (seconds / best).ShouldBeLessThan(1.1);
    }

    /// <summary>One slow turn of the better way is not its end, however long the file is.</summary>
    [Fact]
    public void A_way_that_was_slow_once_has_another_turn()
    {
        const long length = 64 * 1024 * MiB;
        CopyChoice choice = new(2, Unit, length, Unit / 2);
        double seconds = Copy(choice, length, (way, at) => way == 1 ? 0.5e9 : at is > 1024 * MiB and < 1200 * MiB ? 0.3e9 : 1e9);
        choice.Most.ShouldBe(0);
        (seconds / (length / 1e9)).ShouldBeLessThan(1.1);
    }

    /// <summary>A pause of the device in the first turn of the better way says nothing of the rest of the file.</summary>
    [Theory]
    [InlineData(0, 1024, 3.5)]
    [InlineData(0, 2048, 6)]
    [InlineData(0, 8192, 8)]
    [InlineData(0, 65_536, 40)]
    [InlineData(2, 1024, 3.5)]
    [InlineData(2, 2048, 6)]
    [InlineData(2, 8192, 8)]
    [InlineData(2, 65_536, 40)]
    public void A_first_turn_that_was_slow_by_chance_does_not_decide(int better, int mebibytes, double times)
    {
        double seconds = CopyWithPause(better, mebibytes, (times - 1) * 8 * MiB / 1e9);
        (seconds / (mebibytes * MiB / 1e9)).ShouldBeLessThan(1.12);
    }

    /// <summary>However long the pause is: what it took is lost, but no more than that.</summary>
    [Theory]
    [InlineData(0, 1024, 0.06)]
    [InlineData(0, 1024, 0.1)]
    [InlineData(0, 1024, 0.16)]
    [InlineData(0, 2048, 0.3)]
    [InlineData(2, 1024, 0.06)]
    [InlineData(2, 1024, 0.1)]
    [InlineData(2, 1024, 0.16)]
    [InlineData(2, 2048, 0.3)]
    public void A_long_pause_in_the_first_turn_does_not_decide(int better, int mebibytes, double pauseSeconds)
    {
        double seconds = CopyWithPause(better, mebibytes, pauseSeconds);
        ((seconds - pauseSeconds) / (mebibytes * MiB / 1e9)).ShouldBeLessThan(1.12);
    }

    /// <summary>As where somebody else writes to the disk for the first seconds: nothing that was slow then is out for good.</summary>
    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    [InlineData(2)]
    public void A_way_that_was_slow_at_first_is_taken_where_it_becomes_the_better_one(int better)
    {
        const long length = 64 * 1024 * MiB;
        CopyChoice choice = new(3, Unit, length, Unit / 2);
        double seconds = Copy(
            choice, length, (way, at) => way == better ? (at < 512 * MiB ? 0.1e9 : 2e9) : way == (better + 1) % 3 ? 1e9 : 0.9e9);
        choice.Most.ShouldBe(better);
        (seconds / ((512 * MiB / 1e9) + ((length - (512 * MiB)) / 2e9))).ShouldBeLessThan(1.1);
    }

    /// <summary>Part of the file is in memory, where the page cache has nothing to wait for; the rest is not.</summary>
    [Theory]
    [InlineData(0, 7)]
    [InlineData(9, 16)]
    public void Parts_that_are_in_memory_decide_for_themselves_alone(int fromSixteenth, int toSixteenth)
    {
        const long length = 16 * 1024 * MiB;
        CopyChoice choice = new(3, Unit, length, Unit / 2);
        bool IsInMemory(long at) => at >= length / 16 * fromSixteenth && at < length / 16 * toSixteenth;
        double seconds = Copy(choice, length, (way, at) => way != 2 ? 1e9 : IsInMemory(at) ? 4e9 : 0.3e9);
        (seconds / (length / 1e9)).ShouldBeLessThan(0.8);
    }

    /// <summary>As when what a device writes quickly is full: the way that was the slower one before is the faster one then.</summary>
    [Fact]
    public void A_target_that_becomes_slow_for_all_ways_has_them_compared_anew()
    {
        const long length = 32 * 1024 * MiB;
        CopyChoice choice = new(3, Unit, length, Unit / 2);
        double seconds = Copy(choice, length, (way, at) => at < 4096 * MiB
            ? way == 0 ? 2e9 : way == 1 ? 1.8e9 : 1.5e9
            : way == 0 ? 0.2e9 : way == 1 ? 0.25e9 : 0.4e9);
        choice.Most.ShouldBe(2);
        (seconds / ((4096 * MiB / 2e9) + (28_672 * MiB / 0.4e9))).ShouldBeLessThan(1.1);
    }

    /// <summary>A file of holes, or of less than was to be measured.</summary>
    [Fact]
    public void Nothing_measured_is_nothing_said()
    {
        CopyChoice choice = new(2, Unit, 1024 * MiB, Unit / 2);
        choice.Describe(["a", "b"]).ShouldBe("there was too little data to measure ways by");
        choice.Most.ShouldBe(0);
    }

    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    [InlineData(2)]
    public void A_way_that_does_not_work_has_no_further_turn(int dropped)
    {
        CopyChoice choice = new(3, Unit, 4096 * MiB, Unit / 2);
        for (long at = 0; at < 4096 * MiB;)
        {
            long bytes = choice.Left;
            bytes.ShouldBeGreaterThan(0);
            if (choice.Way == dropped)
            {
                choice.Drop(dropped);
                choice.Left.ShouldBeGreaterThan(0);
                choice.Way.ShouldNotBe(dropped);
                continue;
            }

            choice.Add(bytes, bytes);
            at += bytes;
        }

        choice.Most.ShouldNotBe(dropped);
    }

    [Fact]
    public void Pieces_of_any_size_make_up_a_turn()
    {
        CopyChoice choice = new(2, Unit, 1024 * MiB, Unit / 2);
        for (int i = 0; i < 8; i++)
        {
            _ = choice.Left;
            choice.Way.ShouldBe(0);
            choice.Add(MiB, 1);
        }

        _ = choice.Left;
        choice.Way.ShouldBe(1);
    }

    /// <summary>Seconds of a copy whose better way pauses in its first turn, and is found all the same.</summary>
    private static double CopyWithPause(int better, int mebibytes, double pauseSeconds)
    {
        long length = mebibytes * MiB;
        CopyChoice choice = new(3, Unit, length, Unit / 2);
        bool hasPaused = false;
        double seconds = Copy(choice, length, (way, _) => (way == 2) == (better == 2) ? 1e9 : 0.5e9, way =>
        {
            bool pauses = way == better && !hasPaused;
            hasPaused |= pauses;
            return pauses ? pauseSeconds : 0;
        });
        (choice.Most == 2).ShouldBe(better == 2);
        return seconds;
    }

    /// <summary>
    /// The seconds that a copy takes whose ways have these rates, in bytes a second, at each place of the file, and need so many seconds
    /// more for each turn.
    /// </summary>
    private static double Copy(
        CopyChoice choice, long length, Func<int, long, double> rate, Func<int, double>? begin = null)
    {
        double seconds = 0;
        for (long at = 0; at < length;)
        {
            long bytes = Math.Min(choice.Left, length - at);
            double took = (bytes / rate(choice.Way, at)) + (begin?.Invoke(choice.Way) ?? 0);
            choice.Add(bytes, (long)(took * Stopwatch.Frequency));
            seconds += took;
            at += bytes;
        }

        return seconds;
    }
}
