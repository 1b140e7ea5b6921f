using Shouldly;
using Sluice.Copying;
using Sluice.Faults.Tests.Support;
using Sluice.Kernel;
using Sluice.Uring;
using Sluice.Uring.Abi;

namespace Sluice.Faults.Tests;

/// <summary>
/// An opening that fails with ENETDOWN, as a file system in another process may let it fail, answers the number that stands for the current
/// folder. Nothing there is ever touched for it.
/// </summary>
[System.Runtime.Versioning.SupportedOSPlatform("linux")]
public sealed class CurrentFolderTests : IDisposable
{
    private const int NetDown = 100;

    private readonly string _root = Directory.CreateTempSubdirectory("sluice-current-").FullName;
    private readonly string _before = Environment.CurrentDirectory;
    private readonly string _current;

    public CurrentFolderTests()
    {
        _current = Directory.CreateDirectory(Path.Combine(_root, "current")).FullName;
        File.WriteAllText(Path.Combine(_current, "precious"), "stays");
        Directory.CreateDirectory(Path.Combine(_current, "empty"));
        File.WriteAllText(Path.Combine(Directory.CreateDirectory(Path.Combine(_current, "folder")).FullName, "inside"), "stays");
        File.CreateSymbolicLink(Path.Combine(_current, "link"), "precious");
        File.SetUnixFileMode(_current, UnixFileMode.UserRead | UnixFileMode.UserExecute | UnixFileMode.GroupRead);
        Environment.CurrentDirectory = _current;
    }

    public void Dispose()
    {
        SystemCallFaults.Use(null);
        Environment.CurrentDirectory = _before;
        Command.Run("chmod", "-R", "u+rwx", _root);
        Command.Run("rm", "-rf", _root);
    }

    [LinuxFact]
    public void No_call_takes_what_was_not_opened_for_the_current_folder()
    {
        (NodePath precious, NodePath link, NodePath made) = (At("precious"), At("link"), At("made"));
        NodePath real = NodePath.Of(Path.Combine(_root, "real"));
        NodePath other = NodePath.Of(Path.Combine(_root, "other"));
        File.WriteAllText(real.Text, "x");
        using Descriptor opened = new(PathCalls.Open(real, PathCalls.ReadOnly));
        Statx fifo = new() { Mode = Statx.TypeFifo | 0x180 };
        (string Name, Func<int> Call)[] calls =
        [
            ("open", () => PathCalls.Open(precious, PathCalls.ReadOnly)),
            ("open to make", () => PathCalls.Open(made, PathCalls.ReadWrite | PathCalls.Create, 0x180)),
            ("open itself", () => PathCalls.OpenAt(-NetDown, ".\0"u8, TreeRoot.FolderFlags)),
            ("unlink", () => NodeCalls.Unlink(precious)),
            ("mkdir", () => NodeCalls.MakeDirectory(made, 0x1C0)),
            ("mknod", () => NodeCalls.MakeNode(made, fifo)),
            ("symlink", () => NodeCalls.MakeSymbolicLink("precious\0"u8, made)),
            ("readlink", () => NodeCalls.ReadSymbolicLink(link, out int errno) is null ? errno : 0),
            ("rename", () => NodeCalls.Rename(precious, made)),
            ("rename from", () => NodeCalls.Rename(precious, other)),
            ("rename to", () => NodeCalls.Rename(real, made)),
            ("rename new from", () => CopyCalls.RenameNew(precious, other)),
            ("rename new to", () => CopyCalls.RenameNew(real, made)),
            ("link from", () => NodeCalls.Link(precious, other)),
            ("link to", () => NodeCalls.Link(real, made)),
            ("link opened to", () => NodeCalls.LinkOpened(opened.Fd, made)),
            ("stat", () => NodeCalls.Stat(precious, followsLinks: false, StatxMask.BasicStats, out _)),
            ("stat itself", () => Libc.Stat(-NetDown, StatxMask.BasicStats, out _)),
            ("access", () => NodeCalls.MayWrite(precious)),
            ("chown", () => NodeCalls.SetOwner(-NetDown, NodeCalls.EffectiveUser, NodeCalls.Unchanged)),
        ];
        calls.Select(c => (c.Name, Answer: c.Call())).Where(static c => c.Answer != -Errno.EBADF).ShouldBeEmpty();

        // These a sandbox, or an older kernel, does not know.
        int[] refusals = [-Errno.EBADF, -Errno.ENOSYS, -Errno.EPERM];
        PathCalls.OpenNoLinks(-NetDown, "precious\0"u8, PathCalls.ReadOnly).ShouldBeOneOf(refusals);
        PathCalls.OpenCached("precious\0"u8, -NetDown).ShouldBeOneOf([.. refusals, -Errno.EINVAL]);
        PathCalls.Open("precious\0"u8, PathCalls.ReadOnly).ShouldBeGreaterThan(0, "the current folder is meant where it is asked for");
        ShouldBeUntouched("called");
    }

    private static NodePath At(string name) => NodePath.In(-NetDown, PathCalls.ToKernel(name), "nowhere");

    private void ShouldBeUntouched(string what)
    {
        Directory.GetFileSystemEntries(_current, "*", SearchOption.AllDirectories).Select(Path.GetFileName)
            .ShouldBe(["precious", "empty", "folder", "link", "inside"], ignoreOrder: true, what);
        File.ReadAllText(Path.Combine(_current, "precious")).ShouldBe("stays", what);
        File.ReadAllText(Path.Combine(_current, "folder", "inside")).ShouldBe("stays", what);
        File.GetUnixFileMode(_current).ShouldBe(UnixFileMode.UserRead | UnixFileMode.UserExecute | UnixFileMode.GroupRead, what);
    }
}
