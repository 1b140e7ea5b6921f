using Sluice.Uring;

namespace Sluice.Hostile.Tests.Seams;

/// <summary>A walk over a tree that ends with an exception copies no file afterwards.</summary>
public sealed class EndedWalkSeamTests : HostileTests
{
    private const int Files = 30;

    /// <summary>
    /// The one group of files that was found is with one worker, who is held in the first of them until the walk has thrown, and waits for
    /// him.
    /// </summary>
    [LinuxFact]
    public async Task What_was_found_before_a_caller_threw_is_not_copied_after_it()
    {
        string source = Directory.CreateDirectory(Temp.NewPath()).FullName;
        string target = Directory.CreateDirectory(Temp.NewPath()).FullName;
        for (int i = 0; i < Files; i++)
        {
            File.WriteAllText(Path.Combine(source, $"{i}"), "x");
        }

        File.WriteAllText(Path.Combine(Directory.CreateDirectory(Path.Combine(source, "below")).FullName, "file"), "x");
        InvalidDataException thrown = new("no");
        using ManualResetEventSlim isHeld = new();
        Thread? walk = null;
        bool hasThrown = false;
        int held = 0;
        SystemCallFaults.Use((call, _, _) =>
        {
            // Another thread than that of the walk opens only files of the group.
            if (call == "openat" && Volatile.Read(ref walk) is { } walking && walking != Thread.CurrentThread
                && Interlocked.CompareExchange(ref held, 1, 0) == 0)
            {
                isHeld.Set();
                SpinWait.SpinUntil(
                    () => Volatile.Read(ref hasThrown) && walking.ThreadState.HasFlag(ThreadState.WaitSleepJoin), Watchdog.Patience)
                    .ShouldBeTrue("the walk waits for nobody");
            }

            return 0;
        });
        CopyOptions options = new()
        {
            Recurse = true,
            Exclude = path =>
            {
                Volatile.Write(ref walk, Thread.CurrentThread);
                if (!path.Contains('/', StringComparison.Ordinal))
                {
                    return false;
                }

                isHeld.Wait(Watchdog.Patience).ShouldBeTrue("nobody copies");
                Volatile.Write(ref hasThrown, true);
                throw thrown;
            },
        };
        Task copy = SluiceFile.CopyAsync(source, target, options);
        (await Task.WhenAny(copy, Task.Delay(Watchdog.Patience))).ShouldBe(copy);
        SystemCallFaults.Use(null);
        (await Should.ThrowAsync<InvalidDataException>(() => copy)).ShouldBeSameAs(thrown);
        Directory.GetFiles(target).Length.ShouldBeLessThan(2);
    }
}
