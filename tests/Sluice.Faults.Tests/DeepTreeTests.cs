using Shouldly;
using Sluice.Faults.Tests.Support;
using Sluice.Kernel;
using Xunit;

namespace Sluice.Faults.Tests;

/// <summary>Trees so deep that to keep each folder's whole path would take more memory than there is.</summary>
[Trait("Tier", "slow")]
[System.Runtime.Versioning.SupportedOSPlatform("linux")]
public sealed class DeepTreeTests : IDisposable
{
    private const int Levels = 700;

    // All paths from the root together have 61 MB; the process may have 24 MiB.
    private const string HeapLimit = "DOTNET_GCHeapHardLimit=0x1800000";

    private static readonly byte[] Name = [.. Enumerable.Repeat((byte)'d', 250), 0];
    private static readonly byte[] Last = [.. "last\0"u8];

    private readonly string _root = Directory.CreateTempSubdirectory("sluice-deep-").FullName;

    public void Dispose() => Command.Run("rm", "-rf", _root);

    [LinuxFact]
    public async Task A_deep_tree_takes_no_memory_for_each_folders_path()
    {
        string source = Directory.CreateDirectory(Path.Combine(_root, "source")).FullName;
        string target = Path.Combine(_root, "target");
        GoDown(source, makes: true).ShouldBe(Levels);
        (await ChildProcess.OnceAsync(["env", HeapLimit], "copy", source, target)).ShouldBe("done");
        GoDown(target, makes: false).ShouldBe(Levels);
    }

    /// <summary>How many folders there are one below the other, the last with a file in it.</summary>
    private static int GoDown(string folder, bool makes)
    {
        int fd = PathCalls.Open(PathCalls.ToKernel(folder), PathCalls.ReadOnly | PathCalls.DirectoryFlag);
        int levels = 0;
        while (levels < Levels && fd >= 0)
        {
            if (makes)
            {
                NodeCalls.MakeDirectory(NodePath.In(fd, Name, folder), ModeBits.OwnerAll).ShouldBe(0);
            }

            int below = PathCalls.OpenAt(fd, Name, PathCalls.ReadOnly | PathCalls.DirectoryFlag);
            PathCalls.Close(fd);
            fd = below;
            levels += fd >= 0 ? 1 : 0;
        }

        int flags = makes ? PathCalls.WriteOnly | PathCalls.Create : PathCalls.ReadOnly;
        int last = fd < 0 ? fd : PathCalls.OpenAt(fd, Last, flags, ModeBits.OwnerReadWrite);
        last.ShouldBeGreaterThan(0);
        PathCalls.Close(last);
        PathCalls.Close(fd);
        return levels;
    }
}
