using Shouldly;
using Sluice.Faults.Tests.Support;
using Sluice.Uring;
using Xunit;

namespace Sluice.Faults.Tests;

/// <summary>What a copy of a tree tells the file system before it says that all is on the disk.</summary>
[System.Runtime.Versioning.SupportedOSPlatform("linux")]
public sealed class DurableTreeTests : IDisposable
{
    private readonly string _root = Directory.CreateTempSubdirectory("sluice-durable-").FullName;
    private readonly Lock _lock = new();
    private readonly List<(string Call, string? Target)> _calls = [];

    public void Dispose()
    {
        SystemCallFaults.Use(null);
        Command.Run("rm", "-rf", _root);
    }

    /// <summary>
    /// The kernel tells whoever flushes a file system of the writes that failed since he opened it; of one that failed before, only if nobody
    /// else was told. So no opening comes between the last write and the flush.
    /// </summary>
    [SkippableTheory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_file_system_is_flushed_by_way_of_what_was_opened_before_anything_was_written(bool isThere)
    {
        Skip.IfNot(OperatingSystem.IsLinux(), "the seam is in Linux's calls");
        string source = MakeSource(Path.Combine(_root, "source"), [""]);
        string target = Path.Combine(_root, "target");
        if (isThere)
        {
            Directory.CreateDirectory(target);
        }

        await CopyAsync(source, target, new CopyOptions { Recurse = true, FlushToDisk = true });
        string[] calls = [.. _calls.Select(static c => c.Call)];
        int flush = Array.IndexOf(calls, "syncfs");
        int write = Array.FindLastIndex(calls, static c => c is "pwrite" or "pwritev2" or "copy_file_range" or "ioctl");
        flush.ShouldBeGreaterThan(write);
        write.ShouldBeGreaterThan(0);
        calls[write..flush].ShouldNotContain(static c => c.StartsWith("openat", StringComparison.Ordinal));
    }

    /// <summary>Runs a copy, and keeps its calls with what their descriptors lead to.</summary>
    private async Task CopyAsync(string source, string target, CopyOptions options)
    {
        SystemCallFaults.Use((call, fd, _) =>
        {
            string? leads = fd < 0 ? null : new FileInfo($"/proc/self/fd/{fd}").LinkTarget;
            lock (_lock)
            {
                _calls.Add((call, leads));
            }

            return 0;
        });
        _ = await SluiceFile.CopyAsync(source, target, options);
        SystemCallFaults.Use(null);
    }

    /// <summary>Three files in each of these folders.</summary>
    private static string MakeSource(string source, string[] folders)
    {
        foreach (string folder in folders)
        {
            string path = Directory.CreateDirectory(Path.Combine(source, folder)).FullName;
            for (int i = 0; i < 3; i++)
            {
                File.WriteAllText(Path.Combine(path, $"{i}"), "x");
            }
        }

        return source;
    }
}
