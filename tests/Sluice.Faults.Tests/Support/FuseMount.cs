using Sluice.Faults.Child.Fuse;
using Xunit;

namespace Sluice.Faults.Tests.Support;

/// <summary>A file system in memory with one <see cref="FuseFault"/>, served by a process of its own.</summary>
internal sealed class FuseMount : IDisposable
{
    private readonly ChildProcess _server;

    private FuseMount(FuseFault fault)
    {
        Folder = Directory.CreateTempSubdirectory("sluice-fuse-").FullName;
        _server = new ChildProcess(null, "fuse", Folder, fault.ToString());
    }

    public string Folder { get; }

    /// <summary>A mounted file system; where it cannot be had, the test is skipped, and says why.</summary>
    public static FuseMount OrSkip(FuseFault fault)
    {
        Skip.IfNot(OperatingSystem.IsLinux() && Environment.IsPrivilegedProcess && File.Exists("/dev/fuse"), "it needs root and /dev/fuse");
        FuseMount mount = new(fault);
        string? answer = mount._server.Output.ReadLine();
        if (answer != "ready")
        {
            string errors = answer is null ? mount._server.Errors : answer;
            mount.Dispose();
            Skip.If(answer is not null, answer);
            throw new InvalidOperationException(errors);
        }

        return mount;
    }

    public string PathOf(string name) => Path.Combine(Folder, name);

    /// <summary>The bytes of a file, by calls of another program.</summary>
    public byte[] Content(string name)
    {
        string copy = Path.GetTempFileName();
        try
        {
            Command.Run("dd", $"if={PathOf(name)}", $"of={copy}", "bs=64K", "status=none");
            return File.ReadAllBytes(copy);
        }
        finally
        {
            File.Delete(copy);
        }
    }

    public void Dispose()
    {
        // Lazily: a process that another test is starting just now may still hold a file of it for a moment.
        _ = Command.TryRun("umount", "--lazy", Folder);
        _server.Dispose();
        Directory.Delete(Folder);
    }
}
