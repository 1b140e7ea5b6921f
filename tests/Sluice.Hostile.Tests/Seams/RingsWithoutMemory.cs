#if DEBUG
using Sluice.Memory;
#endif
using Sluice.Uring;
using Sluice.Uring.Abi;

namespace Sluice.Hostile.Tests.Seams;

/// <summary>No memory at each step of a ring's making, one after another; a program of its own.</summary>
internal static class RingsWithoutMemory
{
    private const int Block = 4096;

    public static int Run(string name)
    {
        RingProbe.Current.IsAvailable.ShouldBeTrue();
        (int, int) before = Left();
        foreach (int at in (int[])[1, 2])
        {
            LackAt("mmap", at, static () => Ring.TryCreate(8, 0, SetupFlags.SubmitAll, out _)?.Dispose());
            Left().ShouldBe(before, $"where memory is mapped for the {at}. time");
        }

        LackAt("io_uring_register", 1, static () => _ = SluiceEngines.Default);
        Left().ShouldBe(before, "where the engine's ring is set up");
        LendWithoutMemory(name);
        SluiceEngines.Default.Name.ShouldBe("uring");
        return 0;
    }

    /// <summary>Descriptors of rings, and their mappings.</summary>
    private static (int Descriptors, int Mappings) Left() =>
        (Directory.GetFileSystemEntries("/proc/self/fd").Count(static d =>
                new FileInfo(d).LinkTarget?.Contains("io_uring", StringComparison.Ordinal) == true),
            File.ReadLines("/proc/self/maps").Count(static m => m.Contains("io_uring", StringComparison.Ordinal)));

    private static void LackAt(string call, int at, Action make)
    {
        int seen = 0;
        SystemCallFaults.Use((made, _, _) =>
            made == call && Interlocked.Increment(ref seen) == at ? throw new OutOfMemoryException() : 0);
        Should.Throw<OutOfMemoryException>(make);
        SystemCallFaults.Use(null);
        seen.ShouldBe(at);
    }

    /// <summary>Where borrowers' rings are made or lent: at most one of each kind stays, which is kept for the next.</summary>
    private static void LendWithoutMemory(string name)
    {
#if DEBUG
        (int before, _) = Left();
        foreach (string place in (string[])["BatchRing"])
        {
            int lacks = 0;
            for (int round = 0; round < 40; round++)
            {
                // Half of the time; those between have one made, or find one that is kept.
                bool isLacking = round % 2 == 0;
                Seam.Use(kind =>
                {
                    if (isLacking && kind == SeamKind.Memory && Environment.StackTrace.Contains(place, StringComparison.Ordinal))
                    {
                        isLacking = false;
                        lacks++;
                        throw new OutOfMemoryException();
                    }
                });
                Exception? error = Record.Exception(() => Use(name));
                (error is null or OutOfMemoryException).ShouldBeTrue($"{error}");
            }

            Seam.Use(null);
            lacks.ShouldBeGreaterThan(0, place);
            (Left().Descriptors - before).ShouldBeLessThanOrEqualTo(1, place);
        }
#else
        _ = name;
#endif
    }

#if DEBUG
    private static void Use(string name)
    {
        using SluiceHandle handle = SluiceHandle.Open(name, caching: FileCaching.Direct);
        handle.ReadBatch([new ReadRequest(0, new byte[Block]), new ReadRequest(Block, new byte[Block])]);
    }
#endif
}
