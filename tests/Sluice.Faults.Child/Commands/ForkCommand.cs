using System.Diagnostics;
using Sluice.Faults.Child.Conformance;
using Sluice.Faults.Child.Support;

namespace Sluice.Faults.Child.Commands;

/// <summary>
/// Starts processes one after another while reads and writes of pinned memory, direct and cached, are in flight; each of them lists what
/// it inherited. Prints "bad" and what was wrong, and at the end how much was done.
/// </summary>
internal static class ForkCommand
{
    private const int BlockBytes = 64 * 1024;
    private const int Blocks = 16;
    private const int Children = 25;

    public static async Task<int> RunAsync(string folder)
    {
        using CancellationTokenSource stop = new();
        Task<int>[] work = [.. Enum.GetValues<FileCaching>().Select(caching => Task.Run(() => TransferAsync(folder, caching, stop.Token)))];
        for (int i = 0; i < Children; i++)
        {
            await ListInheritedAsync(folder);
        }

        await stop.CancelAsync();
        Console.WriteLine($"rounds={(await Task.WhenAll(work)).Min()}");
        return 0;
    }

    private static async Task ListInheritedAsync(string folder)
    {
        ProcessStartInfo start = new("ls", ["-l", "/proc/self/fd"]) { RedirectStandardOutput = true, UseShellExecute = false };
        using Process child = Process.Start(start)!;
        string output = await child.StandardOutput.ReadToEndAsync();
        await child.WaitForExitAsync();
        foreach (string line in output.Split('\n'))
        {
            if (line.Contains(folder, StringComparison.Ordinal) || line.Contains("io_uring", StringComparison.Ordinal))
            {
                Console.WriteLine($"bad: a child inherited {line}");
            }
        }
    }

    /// <summary>Writes blocks, reads them back, and compares; how often.</summary>
    private static async Task<int> TransferAsync(string folder, FileCaching caching, CancellationToken stopped)
    {
        string path = Path.Combine(folder, $"{caching}");
        using SluiceHandle handle = SluiceHandle.Open(path, FileMode.Create, FileAccess.ReadWrite, caching: caching);
        byte[] memory = GC.AllocateArray<byte>(Blocks * BlockBytes, pinned: true);
        int rounds = 0;
        for (; rounds < 3 || !stopped.IsCancellationRequested; rounds++)
        {
            byte[] content = Pattern.Bytes(rounds, memory.Length);
            content.CopyTo(memory, 0);
            await Task.WhenAll(Enumerable.Range(0, Blocks).Select(i =>
                handle.WriteAsync(memory.AsMemory(i * BlockBytes, BlockBytes), (long)i * BlockBytes, CancellationToken.None).AsTask()));
            await handle.AppendAsync(memory.AsMemory(0, 1), CancellationToken.None);
            memory.AsSpan().Clear();
            await Task.WhenAll(Enumerable.Range(0, Blocks).Select(i =>
                handle.ReadAsync(memory.AsMemory(i * BlockBytes, BlockBytes), (long)i * BlockBytes, CancellationToken.None).AsTask()));
            FileModel.ShouldMatch(memory, content, $"{caching}, round {rounds}");
        }

        return rounds;
    }
}
