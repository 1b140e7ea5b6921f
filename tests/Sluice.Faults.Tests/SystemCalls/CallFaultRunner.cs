using Shouldly;
using Sluice.Faults.Tests.Support;
using Sluice.Uring;

namespace Sluice.Faults.Tests.SystemCalls;

/// <summary>
/// Runs an operation again and again, each time with another of its system calls failing in another way, until no call is left.
/// </summary>
internal static class CallFaultRunner
{
    private static readonly EnumerationOptions Everything = new() { RecurseSubdirectories = true, AttributesToSkip = 0 };
    private static readonly TimeSpan Patience = TimeSpan.FromMinutes(3);

    /// <summary>Nothing that is disposed of: a thread of the library may be on its way to it when an operation has ended.</summary>
    [ThreadStatic]
    private static bool t_isSecond;

    /// <summary>Every answer is tried at so many calls of a name, and then one at each call.</summary>
    private const int CallsWithEveryAnswer = 4;

    /// <param name="scenario">The operation.</param>
    /// <param name="root">An empty folder, in which each run has one of its own.</param>
    /// <returns>How many faults were brought about.</returns>
    public static async Task<int> RunAsync(CallScenario scenario, string root)
    {
        int runs = 0;
        (CallFaults calm, string? initial) = await RunOnceAsync(scenario, root, runs++, -1, 0);
        initial.ShouldBeNull(scenario.Name);
        foreach (IGrouping<string, string> part in scenario.MustCall.GroupBy(static name => name))
        {
            calm.Calls.Count(call => call.Contains(part.Key, StringComparison.OrdinalIgnoreCase))
                .ShouldBeGreaterThanOrEqualTo(part.Count(), $"{scenario.Name}: {string.Join(", ", calm.Calls)}");
        }

        LeakCounters before = new(root, countsRings: false);
        int faults = 0;
        List<string> wrong = [];
        for (int at = 0; ; at++)
        {
            string? struck = null;
            CallFaults plan;
            bool hasEveryAnswer = at >= calm.Calls.Count
                || calm.Calls.Take(at).Count(call => call == calm.Calls[at]) < CallsWithEveryAnswer;
            int kind = hasEveryAnswer ? 0 : at % CallsWithEveryAnswer;
            do
            {
                (plan, string? complaint) = await RunOnceAsync(scenario, root, runs++, at, kind);
                if (complaint is not null)
                {
                    wrong.Add(complaint);
                }

                if (plan.Struck is not null)
                {
                    struck = plan.Struck;
                    faults++;
                }
            }
            while (hasEveryAnswer && plan.Calls.Count > at && ++kind < Math.Min(plan.Kinds, scenario.MaxKinds));

            if (struck is not null)
            {
                // Once for all ways in which the call fails: to look through what is open takes as long as a run.
                await before.ShouldBeAsBeforeAsync(long.MaxValue / 2, $"{scenario.Name}: {struck}, or the same call in another way");
            }

            if (plan.Calls.Count <= at)
            {
                wrong.ShouldBeEmpty($"{scenario.Name}:\n{string.Join('\n', wrong)}");
                return faults;
            }
        }
    }

    /// <summary>Runs an operation once, with each call that a signal may end interrupted once before it passes.</summary>
    public static async Task RunInterruptedAsync(CallScenario scenario, string root)
    {
        Exception? error = await RunWithAsync(scenario, root, static (call, _, _) =>
        {
            t_isSecond = IsInterruptible(call) && !t_isSecond;
            return t_isSecond ? -CallFaults.EINTR : 0;
        });
        error.ShouldBeNull(scenario.Name);
    }

    /// <summary>Runs an operation once, with writes that succeed and write nothing: it ends, and says what could not be written.</summary>
    public static async Task RunWithoutBytesAsync(CallScenario scenario, string root)
    {
        int writes = 0;
        Exception? error = await RunWithAsync(scenario, root, (call, _, length) =>
        {
            if (length == 0 || call is not ("pwrite" or "write" or "pwritev" or "pwritev2" or "ring Write" or "ring WriteV"))
            {
                return 0;
            }

            Interlocked.Increment(ref writes);
            return SystemCallFaults.NoBytes;
        });
        if (writes == 0)
        {
            error.ShouldBeNull(scenario.Name);
            return;
        }

        IOException failed = error.ShouldBeAssignableTo<IOException>($"{scenario.Name}: {error}")!;
        foreach (Exception each in failed is FileBatchException batch ? batch.Failures.Select(static f => f.Error) : [failed])
        {
            each.ShouldBeAssignableTo<IOException>($"{scenario.Name}: {each}")!.Message.ShouldContain(root);
        }
    }

    /// <summary>Not those of rings and memory, and those that do not wait for a file system.</summary>
    private static bool IsInterruptible(string call) =>
        !call.StartsWith("ring ", StringComparison.Ordinal)
        && !call.StartsWith("io_uring", StringComparison.Ordinal)
        && !call.StartsWith("lseek", StringComparison.Ordinal)
        && call is not ("mmap" or "madvise" or "getrandom" or "fcntl" or "posix_fadvise" or "sync_file_range" or "statmount"
            or "fstatfs" or "fstatvfs");

    private static async Task<Exception?> RunWithAsync(CallScenario scenario, string root, SystemCallFault fault)
    {
        string folder = Directory.CreateDirectory(Path.Combine(root, $"{Guid.NewGuid():N}")).FullName;
        scenario.Prepare(folder);
        SystemCallFaults.Use(fault);
        try
        {
            await Task.Run(() => scenario.Run(folder)).WaitAsync(Patience);
            return null;
        }
        catch (TimeoutException e)
        {
            throw new TimeoutException($"{scenario.Name} hangs", e);
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException or NotSupportedException)
        {
            return e;
        }
        finally
        {
            SystemCallFaults.Use(null);
            Directory.Delete(folder, recursive: true);
        }
    }

    private static async Task<(CallFaults Plan, string? Complaint)> RunOnceAsync(
        CallScenario scenario, string root, int run, int at, int kind)
    {
        string folder = Path.Combine(root, $"{run}");
        Directory.CreateDirectory(folder);
        scenario.Prepare(folder);
        Exception? error = null;
        CallFaults plan;
        using (plan = new CallFaults(at, kind))
        {
            try
            {
                await Task.Run(() => scenario.Run(folder)).WaitAsync(Patience);
            }
            catch (TimeoutException e)
            {
                throw new TimeoutException($"{scenario.Name} hangs: {plan.Struck}", e);
            }
            catch (Exception e)
            {
                error = e;
            }
        }

        string? complaint = error is not null ? Complain(plan, folder, error)
            : plan.MustBeSeen ? $"{plan.Struck}: nobody was told"
            : null;
        if (error is not null && complaint is null)
        {
            try
            {
                scenario.AfterFailure(folder);
            }
            catch (Exception e)
            {
                complaint = $"{plan.Struck}: after '{error.Message}': {e.Message}";
            }
        }

        string[] leftovers =
        [
            .. Directory.EnumerateFileSystemEntries(folder, "*", Everything)
                .Where(path => !scenario.Leaves.Contains(Path.GetFileName(path))),
        ];
        if (leftovers.Length > 0 && !plan.PreventsCleaning)
        {
            complaint ??= $"{plan.Struck}: leaves {string.Join(", ", leftovers)} after {error?.Message ?? "success"}";
        }

        Directory.Delete(folder, recursive: true);
        return (plan, complaint);
    }

    /// <summary>What is wrong with the exception; null where it is the right one.</summary>
    private static string? Complain(CallFaults plan, string folder, Exception error)
    {
        string what = $"{plan.Struck ?? "no fault"}: {error.GetType().Name}: {error.Message}";
        if (plan.Struck is null || plan.MustBeHidden)
        {
            return what;
        }

        if (error is FileBatchException batch)
        {
            return batch.Failures.Count == 0
                ? what
                : batch.Failures.Select(f => Complain(plan, folder, f.Error)).FirstOrDefault(static c => c is not null);
        }

        if (error is NotSupportedException && plan.MeansUnsupported)
        {
            return error.Message.Contains(folder, StringComparison.Ordinal) ? null : what;
        }

        // A lock that is refused means one thing only, and .NET has its own words for it.
        bool namesReason = error.Message.Contains("(errno ", StringComparison.Ordinal)
            || (plan.Struck.StartsWith("flock", StringComparison.Ordinal)
                && error.Message.Contains("used by another process", StringComparison.Ordinal));
        return error is IOException or UnauthorizedAccessException
            && error.Message.Contains(folder, StringComparison.Ordinal)
            && namesReason
            ? null
            : what;
    }
}
