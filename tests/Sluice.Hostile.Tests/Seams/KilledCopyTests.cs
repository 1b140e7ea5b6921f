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

    [SkippableTheory]
    [InlineData("new", 0x1A4)]
    [InlineData("new", 0x120)]
    [InlineData("kept", 0x1B4)]
    [InlineData("kept", 0x124)]
    [InlineData("over", 0x1A4)]
    public async Task A_file(string way, int mode)
    {
        Skip.IfNot(OperatingSystem.IsLinux(), "copies are resumed on Linux");
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

            CopyResult result = await SluiceFile.CopyAsync(source, again, options);
            File.ReadAllBytes(again).ShouldBeBytes(Content, $"call {at}");
            Of(again).ShouldBe(Of(target), $"call {at}");
            File.Exists(leftAgain).ShouldBeFalse($"call {at}");
            Directory.GetFileSystemEntries(Path.GetDirectoryName(again)!).ShouldBe([again], $"call {at}");
            result.ResumedBytes.ShouldBe(isWhole ? Length : result.ResumedBytes, $"call {at}");
        }

        whole.ShouldBeGreaterThan(5);
    }

    [SkippableFact]
    public async Task A_tree()
    {
        Skip.IfNot(OperatingSystem.IsLinux(), "copies are resumed on Linux");
        string source = Directory.CreateDirectory(Temp.NewPath()).FullName;
        File.WriteAllBytes(Path.Combine(source, "file"), Content);
        File.SetUnixFileMode(source, (UnixFileMode)0x1ED);
        Directory.SetLastWriteTimeUtc(source, DateTime.UnixEpoch.AddDays(1));
        foreach (bool keeps in (bool[])[false, true])
        {
            CopyOptions options = new() { Recurse = true, Resume = true, PreserveMetadata = keeps };
            string target = Temp.NewPath();
            string left = Temporary(target);
            List<string> aside = [];
            bool isAt = false;
            SystemCallFaults.Use((_, _, _) =>
            {
                // Its root has come to its own permissions.
                if (!isAt && Directory.Exists(left) && File.GetUnixFileMode(left) == (UnixFileMode)0x1ED)
                {
                    isAt = true;
                    string folder = Directory.CreateDirectory(Temp.NewPath()).FullName;
                    using (Process copy = Process.Start("cp", ["-a", left, Temporary(Path.Combine(folder, "copy"))]))
                    {
                        copy.WaitForExit();
                    }

                    aside.Add(Path.Combine(folder, "copy"));
                    isAt = false;
                }

                return 0;
            });
            _ = await SluiceFile.CopyAsync(source, target, options);
            SystemCallFaults.Use(null);
            aside.Count.ShouldBeGreaterThan(1);
            Native.GetAttribute(target, "user.sluice.copy").ShouldBeNull();
            foreach (string again in aside)
            {
                CopyResult result = await SluiceFile.CopyAsync(source, again, options);
                result.ResumedBytes.ShouldBe(Length);
                Directory.GetFileSystemEntries(Path.GetDirectoryName(again)!).ShouldBe([again]);
                Of(Path.Combine(again, "file")).ShouldBe(Of(Path.Combine(target, "file")));
                (Of(again) with { Written = 0 }).ShouldBe(Of(target) with { Written = 0 });
                File.ReadAllBytes(Path.Combine(again, "file")).ShouldBeBytes(Content);
            }
        }
    }

    /// <summary>
    /// A tree that was whole, but for its name, has been open to whoever may come into its folders: a folder's owner has put a file of his
    /// own in the place of a program, the same to the last byte, and can write to it still.
    /// </summary>
    [SkippableFact]
    public async Task A_tree_in_which_others_were()
    {
        Skip.IfNot(OperatingSystem.IsLinux() && Environment.IsPrivilegedProcess, "only root gives folders away");
        string source = Directory.CreateDirectory(Temp.NewPath()).FullName;
        string program = Path.Combine("theirs", "program");
        string plain = Path.Combine("theirs", "plain");
        Directory.CreateDirectory(Path.Combine(source, "theirs"));
        foreach (string name in (string[])[program, plain])
        {
            File.WriteAllBytes(Path.Combine(source, name), Content);
        }

        File.SetUnixFileMode(Path.Combine(source, program), (UnixFileMode)0x9ED);
        GiveAway(Path.Combine(source, "theirs"));
        CopyOptions options = new() { Recurse = true, Resume = true, PreserveMetadata = true };
        string target = Temp.NewPath();
        _ = await SluiceFile.CopyAsync(source, target, options);
        string left = Temporary(target);
        Directory.Move(target, left);
        Native.SetAttribute(left, "user.sluice.copy", [1]).ShouldBe(0);

        using SafeFileHandle programOpen = Put(Path.Combine(left, program));
        using SafeFileHandle plainOpen = Put(Path.Combine(left, plain));
        uint? ownerAtWork = null;
        int asking = 0;
        SystemCallFaults.Use((_, _, _) =>
        {
            // The folder while it is worked in: the planted program is gone, and its place is taken.
            if (Interlocked.Exchange(ref asking, 1) == 0)
            {
                ownerAtWork ??= StatOf(programOpen).NLink == 0 && File.Exists(Path.Combine(left, program))
                    ? Of(Path.Combine(left, "theirs")).Uid
                    : null;
                asking = 0;
            }

            return 0;
        });
        _ = await SluiceFile.CopyAsync(source, target, options);
        SystemCallFaults.Use(null);

        ownerAtWork.ShouldBe(0u);
        Of(Path.Combine(target, "theirs")).Uid.ShouldBe(12345u);
        RandomAccess.Write(programOpen, "others"u8, 0);
        RandomAccess.Write(plainOpen, "others"u8, 0);
        foreach (string name in (string[])[program, plain])
        {
            File.ReadAllBytes(Path.Combine(target, name)).ShouldBeBytes(Content);
            Of(Path.Combine(target, name)).ShouldBe(Of(Path.Combine(source, name)));
        }

        static SafeFileHandle Put(string path)
        {
            File.Delete(path);
            File.WriteAllBytes(path, Content);
            GiveAway(path);
            return File.OpenHandle(path, access: FileAccess.ReadWrite, share: FileShare.ReadWrite);
        }
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
        NodeMetadata.Preserve(Number(from), StatOf(from), Number(to), aside);
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
