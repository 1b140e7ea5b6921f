using System.Runtime.CompilerServices;
using Sluice.Uring;

namespace Sluice.Hostile.Tests.Seams;

/// <summary>
/// The kernel takes the first entries of a submission and has no memory for those behind them, which go in with the next one: no read has
/// another file's bytes, and each has its own.
/// </summary>
public sealed class PartialSubmissionTests : HostileTests
{
    private const int Bytes = 3000;
    private const int Files = 64;
    private const int Rounds = 40;

    [SkippableTheory]
    [InlineData(1)]
    [InlineData(3)]
    public async Task A_file_of_a_group_is_read_and_not_what_is_opened_meanwhile(int entries)
    {
        SkipWithoutRing();
        string[] paths = [.. Enumerable.Range(0, Files).Select(i => Temp.NewFile([.. Enumerable.Repeat((byte)i, Bytes)]))];
        string other = Temp.NewFile([.. Enumerable.Repeat((byte)0xEE, Bytes)]);
        int cut = 0;
        SystemCallFaults.Use((call, _, length) =>
        {
            if (call != "io_uring_enter" || length <= entries)
            {
                return 0;
            }

            Interlocked.Increment(ref cut);
            return entries;
        });
        StrongBox<bool> isOver = new();
        Task opener = Task.Factory.StartNew(
            () =>
            {
                // Takes whatever descriptor becomes free, at once.
                while (!Volatile.Read(ref isOver.Value))
                {
                    using SluiceHandle first = SluiceHandle.Open(other);
                    using SluiceHandle second = SluiceHandle.Open(other);
                }
            },
            TaskCreationOptions.LongRunning);
        await Watchdog.EndsAsync(
            async () =>
            {
                for (int round = 0; round < Rounds; round++)
                {
                    int next = 0;
                    await foreach (FileReadResult result in SluiceFile.ReadManyAsync(paths))
                    {
                        result.GetContent().AsSpan().IndexOfAnyExcept((byte)next).ShouldBe(-1, $"round {round}, {next}");
                        result.GetContent().Length.ShouldBe(Bytes);
                        next++;
                    }
                }
            },
            $"{entries} at once");
        Volatile.Write(ref isOver.Value, true);
        await opener;
        cut.ShouldBeGreaterThan(0);
    }
}
