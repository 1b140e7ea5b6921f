using System.Diagnostics;
using Microsoft.Win32.SafeHandles;
using Sluice.Copying;
using Sluice.Handles;
using Sluice.Kernel;
using Sluice.Uring;
using Sluice.Uring.Abi;

namespace Sluice.Hostile.Tests.Seams;

/// <summary>
/// What a copy would leave that is killed in a system call, in the first, in the second, and so on until it has its name: kept aside there,
/// and gone on from. Nothing stays, nothing is copied twice, and the copy is what the one that was not killed is.
/// </summary>
[Trait("Tier", "slow")]
[System.Runtime.Versioning.SupportedOSPlatform("linux")]
public sealed class KilledCopyTests : HostileTests
{
    private const int Length = 60_000;
    private static readonly byte[] Content = Bytes.Pattern(Length);

    [LinuxTheory]
    [InlineData("new", 0x1A4)]
    [InlineData("new", 0x120)]
    [InlineData("kept", 0x1B4)]
    [InlineData("kept", 0x124)]
    [InlineData("over", 0x1A4)]
    public async Task A_file(string way, int mode)
    {
        CopyOptions options = new()
        {
            Resume = true,
            Method = CopyMethod.Buffered,
            PreserveMetadata = way == "kept",
            Overwrite = way == "over",
        };
        int whole = 0;
        bool hasStruck = true;
        for (int at = 1; hasStruck; at++)
        {
            string source = NewSource(way, mode);
            (string target, string left) = NewTarget(way);
            (string again, string leftAgain) = NewTarget(way);
            int count = 0;
            hasStruck = false;
            SystemCallFaults.Use((_, _, _) =>
            {
                if (!hasStruck && ++count == at)
                {
                    hasStruck = true;
                    KeepAside(left, leftAgain);
                }

                return 0;
            });
            _ = await SluiceFile.CopyAsync(source, target, options);
            SystemCallFaults.Use(null);
            bool isWhole = File.Exists(leftAgain) && File.ReadAllBytes(leftAgain).AsSpan().SequenceEqual(Content);
            whole += isWhole ? 1 : 0;

            // A file that has its owner or its permissions already is not trusted.
            isWhole &= isWhole && Of(leftAgain) is { Mode: 0x8180 } node && node.Uid == NodeCalls.EffectiveUser;

            CopyResult result = await SluiceFile.CopyAsync(source, again, options);
            File.ReadAllBytes(again).ShouldBeBytes(Content, $"call {at}");
            Of(again).ShouldBe(Of(target), $"call {at}");
            File.Exists(leftAgain).ShouldBeFalse($"call {at}");
            Directory.GetFileSystemEntries(Path.GetDirectoryName(again)!).ShouldBe([again], $"call {at}");
            result.ResumedBytes.ShouldBe(isWhole ? Length : result.ResumedBytes, $"call {at}");
        }

        whole.ShouldBeGreaterThan(5);
    }

    /// <summary>What is at the target when the process is killed at a system call of the copy of a file to a new name.</summary>
    [LinuxTheory]
    [InlineData(false, false)]
    [InlineData(false, true)]
    [InlineData(true, false)]
    public async Task A_new_file_that_has_its_sources_time_is_whole_and_an_atomic_one_is_always(bool isAtomic, bool keeps)
    {
        string source = Temp.NewPath();
        File.WriteAllBytes(source, Content);
        File.SetLastWriteTimeUtc(source, DateTime.UnixEpoch.AddDays(1));
        string target = Temp.NewPath();
        List<(byte[] Content, DateTime Written)> states = [];
        bool looks = false;
        SystemCallFaults.Use((_, _, _) =>
        {
            if (!looks && File.Exists(target))
            {
                // System.IO cannot open the target: it is locked.
                looks = true;
                int fd = PathCalls.Open(PathCalls.ToKernel(target), PathCalls.ReadOnly);
                byte[] content = new byte[Length + 1];
                int read = TransferCalls.Read(fd, content, 0, RwFlags.None);
                PathCalls.Close(fd);
                states.Add((content[..read], File.GetLastWriteTimeUtc(target)));
                looks = false;
            }

            return 0;
        });
        CopyOptions options = new() { Atomic = isAtomic, PreserveMetadata = keeps, Method = CopyMethod.Buffered };
        _ = await SluiceFile.CopyAsync(source, target, options);
        SystemCallFaults.Use(null);
        File.ReadAllBytes(target).ShouldBeBytes(Content);
        File.GetLastWriteTimeUtc(target).ShouldBe(File.GetLastWriteTimeUtc(source));
        foreach ((byte[] content, DateTime written) in states)
        {
            bool isWhole = content.AsSpan().SequenceEqual(Content);
            (isWhole || (!isAtomic && written != File.GetLastWriteTimeUtc(source))).ShouldBeTrue();
        }

        states.Exists(static s => s.Content.Length < Length).ShouldBe(!isAtomic);
    }

    /// <summary>
    /// A part of a file is not taken for the whole, whatever the call; and what is whole is not copied again. The second run makes the tree
    /// that a run makes which is not killed.
    /// </summary>
    [LinuxTheory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_tree(bool keeps)
    {
        string source = Directory.CreateDirectory(Temp.NewPath()).FullName;
        string below = Directory.CreateDirectory(Path.Combine(source, "below")).FullName;
        string[] files = [Path.Combine(source, "large"), Path.Combine(below, "small"), Path.Combine(below, "second name")];
        File.WriteAllBytes(files[0], Content);
        File.WriteAllBytes(files[1], Content.AsSpan(0, 5000).ToArray());
        Native.Link(files[1], files[2]);
        File.CreateSymbolicLink(Path.Combine(below, "link"), "small");
        foreach (string path in (string[])[files[0], files[1], below, source])
        {
            File.SetUnixFileMode(path, (UnixFileMode)(Directory.Exists(path) ? 0x1ED : 0x124));
            File.SetLastWriteTimeUtc(path, DateTime.UnixEpoch.AddDays(1));
        }

        CopyOptions options = new() { Recurse = true, PreserveMetadata = keeps, Method = CopyMethod.Buffered };
        CopyOptions again = new() { Recurse = true, PreserveMetadata = keeps, SkipUnchanged = true, Overwrite = true };
        string target = Temp.NewPath();
        List<string> states = [];
        Lock taking = new();
        SystemCallFaults.Use((_, _, _) =>
        {
            lock (taking)
            {
                if (Directory.Exists(target))
                {
                    states.Add(Temp.NewPath());
                    using Process copy = Process.Start("cp", ["-a", target, states[^1]]);
                    copy.WaitForExit();
                }
            }

            return 0;
        });
        _ = await SluiceFile.CopyAsync(source, target, options);
        SystemCallFaults.Use(null);
        states.Count.ShouldBeGreaterThan(20);
        int partial = 0;
        foreach (string state in states)
        {
            foreach (string file in files)
            {
                string copied = Path.Combine(state, Path.GetRelativePath(source, file));
                bool isThere = File.Exists(copied);
                bool isWhole = isThere && File.ReadAllBytes(copied).AsSpan().SequenceEqual(File.ReadAllBytes(file));
                partial += isThere && !isWhole ? 1 : 0;
                (isThere && Of(copied).Written == Of(file).Written).ShouldBeOneOf(isWhole, false);
            }

            _ = await SluiceFile.CopyAsync(source, state, again);
            foreach (string file in files)
            {
                string copied = Path.Combine(state, Path.GetRelativePath(source, file));
                File.ReadAllBytes(copied).ShouldBeBytes(File.ReadAllBytes(file));
                Of(copied).ShouldBe(Of(Path.Combine(target, Path.GetRelativePath(source, file))));
            }

            new FileInfo(Path.Combine(state, "below", "link")).LinkTarget.ShouldBe("small");
            Directory.GetFileSystemEntries(state, "*", SearchOption.AllDirectories).Length.ShouldBe(5);
            if (keeps)
            {
                (Of(state), Of(Path.Combine(state, "below"))).ShouldBe((Of(source), Of(below)));
            }
        }

        partial.ShouldBeGreaterThan(1);
    }

    private static string Temporary(string target) =>
        Path.Combine(Path.GetDirectoryName(target)!, $".{Path.GetFileName(target)}.sluice-tmp");

    /// <summary>A file as it is now, with all that belongs to it; nothing where there is none any more.</summary>
    private static void KeepAside(string file, string aside)
    {
        if (!File.Exists(file))
        {
            return;
        }

        using SafeFileHandle from = File.OpenHandle(file, share: FileShare.ReadWrite);
        File.WriteAllBytes(aside, File.ReadAllBytes(file));
        using SafeFileHandle to = File.OpenHandle(aside);
        NodeMetadata.Preserve(Number(from), StatOf(from), Number(to), StatOf(to), aside).ShouldBeNull();
        NodeMetadata.SetTimes(Number(to), StatOf(from), aside).ShouldBeNull();
    }

    private static Node Of(string path)
    {
        NodeCalls.Stat(NodePath.Of(path), followsLinks: false, StatxMask.BasicStats, out Statx stat).ShouldBe(0);
        return new Node(stat.Mode, stat.Uid, stat.Gid, stat.Mtime.Seconds);
    }

    private static Statx StatOf(SafeFileHandle file)
    {
        Libc.Stat(Number(file), StatxMask.BasicStats, out Statx stat).ShouldBe(0);
        return stat;
    }

    private static int Number(SafeFileHandle file) => (int)file.DangerousGetHandle();

    private static void GiveAway(string path)
    {
        if (Environment.IsPrivilegedProcess)
        {
            using Descriptor node = new(PathCalls.Open(NodePath.Of(path), PathCalls.PathOnly));
            NodeCalls.SetOwner(node.Fd, 12345, 12346).ShouldBe(0);
        }
    }

    private string NewSource(string way, int mode)
    {
        string source = Temp.NewFile(Content);
        if (way == "kept")
        {
            GiveAway(source);
        }

        File.SetUnixFileMode(source, (UnixFileMode)mode);
        File.SetLastWriteTimeUtc(source, DateTime.UnixEpoch.AddDays(1));
        return source;
    }

    private (string Target, string Left) NewTarget(string way)
    {
        string target = Path.Combine(Directory.CreateDirectory(Temp.NewPath()).FullName, "target");
        if (way == "over")
        {
            File.WriteAllText(target, "what is replaced");
            GiveAway(target);
        }

        return (target, Temporary(target));
    }

    private sealed record Node(uint Mode, uint Uid, uint Gid, long Written);
}
