using System.Diagnostics.Tracing;
using System.Reflection;
using Sluice.Faults.Child.Conformance;
using Sluice.Faults.Child.Support;

namespace Sluice.Faults.Child.Commands;

/// <summary>
/// Takes something away from this process, then opens files and runs every conformance check on them, the caching modes in turn. Prints
/// the engine, the reasons and the failures, one a line; exit code 0 when every check passed.
/// </summary>
internal static class RefuseCommand
{
    private const int LimitNoFile = 7;
    private const int LimitMemlock = 8;
    private const int CapabilityIpcLock = 14;
    private const int EPERM = 1;
    private const int ENOSYS = 38;

    public static async Task<int> RunAsync(string scenario, string folder)
    {
        List<int> hoard = [];
        using FallbackListener events = new();
        switch (scenario)
        {
            case "nothing" or "descriptors-later":
                break;
            case "setup-eperm":
                Seccomp.Refuse(EPERM, Seccomp.IoUringSetup);
                break;
            case "register-eperm":
                Seccomp.Refuse(EPERM, Seccomp.IoUringRegister);
                break;
            case "enter-eperm":
                Seccomp.Refuse(EPERM, Seccomp.IoUringEnter);
                break;
            case "statx-enosys":
                Seccomp.Refuse(ENOSYS, Seccomp.Statx);
                break;
            case "vectored-enosys":
                Seccomp.Refuse(ENOSYS, Seccomp.Preadv2, Seccomp.Pwritev2);
                break;
            case "vectored-and-rings-enosys":
                Seccomp.Refuse(ENOSYS, Seccomp.Preadv2, Seccomp.Pwritev2, Seccomp.IoUringSetup);
                break;
            case "memlock":
                Native.SetLimit(LimitMemlock, 0);
                Native.DropCapability(CapabilityIpcLock);
                break;
            case "descriptors":
                LoadEverything();
                hoard = TakeDescriptors();

                // One for the file, none for a ring.
                Give(hoard, 1);
                break;
            default:
                Console.Error.WriteLine($"no scenario '{scenario}'");
                return 2;
        }

        string first = Path.Combine(folder, "first");
        using (SluiceHandle handle = SluiceHandle.Open(first, FileMode.Create, FileAccess.ReadWrite))
        {
            // Asked for now, the ring is made now.
            _ = handle.EngineName;
            Give(hoard, hoard.Count);
            if (scenario == "descriptors-later")
            {
                // The ring is there; files, and the rings of batches, are what cannot be opened.
                await OpenWithoutDescriptorsAsync(handle, first);
            }

            Console.WriteLine($"engine={handle.EngineName}");
            Console.WriteLine($"engineReason={handle.EngineReason}");
            Console.WriteLine($"uringReason={SluiceEngines.UringReason}");
        }

        File.Delete(first);
        int exitCode = await RunChecksAsync(folder);

        // Told on a thread of its own; a second one would have come during the checks.
        bool isRefused = SluiceEngines.UringReason is not null;
        SpinWait.SpinUntil(() => !isRefused || events.EngineCount > 0, TimeSpan.FromMinutes(1));
        Console.WriteLine($"engineFallbacks={events.EngineCount}");
        return exitCode;
    }

    private static async Task<int> RunChecksAsync(string folder)
    {
        int failures = 0;
        FileCaching[] cachings = Enum.GetValues<FileCaching>();
        int turn = 0;
        foreach (string check in ConformanceChecks.Names)
        {
            FileCaching caching = cachings[turn++ % cachings.Length];
            try
            {
                await ConformanceChecks.RunAsync(check, new ConformanceTarget(folder, caching, null));
                Console.WriteLine($"pass {check} {caching}");
            }
            catch (Exception e)
            {
                failures++;
                Console.WriteLine($"fail {check} {caching}: {e.ToString().ReplaceLineEndings(" | ")}");
            }
        }

        return failures == 0 ? 0 : 1;
    }

    private static async Task OpenWithoutDescriptorsAsync(SluiceHandle handle, string path)
    {
        LoadEverything();
        byte[] written = Pattern.Bytes(6, 20_000);
        await handle.WriteAsync(written, 0);
        Exception? expected = null;
        Exception? actual = null;
        ReadRequest[] requests = [new ReadRequest(1, new byte[9000]), new ReadRequest(9001, new byte[9000])];
        byte[] read = new byte[20_000];
        List<int> hoard = [];
        try
        {
            // First as a rehearsal: the runtime itself opens files when it compiles or starts a thread.
            for (int i = 0; i < 2; i++)
            {
                expected = TransferChecks.Record(() =>
                    File.OpenHandle(path, FileMode.Open, FileAccess.Read, FileShare.ReadWrite).Dispose());
                actual = TransferChecks.Record(() =>
                    SluiceHandle.Open(path, FileMode.Open, FileAccess.Read, FileShare.ReadWrite).Dispose());
                handle.ReadBatch(requests);
                await handle.WriteAsync(written.AsMemory(0, 100), 20_000);
                _ = await handle.ReadAsync(read, 0);
                _ = TransferChecks.Record(static () => File.OpenHandle("/nonexistent").Dispose());
                if (i == 0)
                {
                    hoard = TakeDescriptors();
                }
            }
        }
        finally
        {
            Give(hoard, hoard.Count);
        }

        FileModel.ShouldMatch(requests[0].Buffer.Span, written.AsSpan(1, 9000), "batch");
        FileModel.ShouldMatch(requests[1].Buffer.Span, written.AsSpan(9001, 9000), "batch");
        FileModel.ShouldMatch(read, written, "read");
        Console.WriteLine($"openExpected={expected?.GetType().Name}: {expected?.Message}");
        Console.WriteLine($"openActual={actual?.GetType().Name}: {actual?.Message}");
    }

    /// <summary>
    /// Loads assemblies, whose type initializers open files, and makes threads of the pool: the runtime ends a process whose pool cannot
    /// make a thread for lack of a descriptor.
    /// </summary>
    private static void LoadEverything()
    {
        int threads = Math.Max(8, Environment.ProcessorCount);
        ThreadPool.SetMinThreads(threads, threads);
        using CountdownEvent all = new(threads);
        Task.WaitAll([.. Enumerable.Range(0, threads).Select(_ => Task.Run(() =>
        {
            all.Signal();
            all.Wait();
        }))]);
        Queue<Assembly> queue = new([typeof(SluiceHandle).Assembly, typeof(RefuseCommand).Assembly]);
        HashSet<string> seen = [];
        while (queue.TryDequeue(out Assembly? assembly))
        {
            foreach (AssemblyName name in assembly.GetReferencedAssemblies())
            {
                if (seen.Add(name.FullName))
                {
                    queue.Enqueue(Assembly.Load(name));
                }
            }
        }

        Console.Out.Flush();
    }

    private static List<int> TakeDescriptors()
    {
        Native.SetLimit(LimitNoFile, 256);
        List<int> taken = [];
        for (int fd = Native.OpenNull(); fd >= 0; fd = Native.OpenNull())
        {
            taken.Add(fd);
        }

        return taken;
    }

    private static void Give(List<int> hoard, int count)
    {
        for (int i = 0; i < count; i++)
        {
            Native.Close(hoard[^1]);
            hoard.RemoveAt(hoard.Count - 1);
        }
    }

    /// <summary>Counts what the event source says of engines.</summary>
    private sealed class FallbackListener : EventListener
    {
        private int _engineCount;

        public int EngineCount => Volatile.Read(ref _engineCount);

        protected override void OnEventSourceCreated(EventSource eventSource)
        {
            if (eventSource.Name == "Sluice")
            {
                EnableEvents(eventSource, EventLevel.Warning);
            }
        }

        protected override void OnEventWritten(EventWrittenEventArgs eventData)
        {
            if (eventData.Payload is ["engine", ..])
            {
                Interlocked.Increment(ref _engineCount);
            }
        }
    }
}
