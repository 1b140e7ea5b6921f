namespace Sluice.Faults.Tests.Support;

/// <summary>A block device over an image file, without a file system; detached and deleted at the end.</summary>
internal sealed class LoopDevice : IDisposable
{
    private readonly string _root = Directory.CreateTempSubdirectory("sluice-loop-").FullName;

    public LoopDevice(int sizeBytes, int blockBytes)
    {
        try
        {
            string image = System.IO.Path.Combine(_root, "image");
            using (FileStream stream = new(image, FileMode.CreateNew))
            {
                stream.SetLength(sizeBytes);
            }

            Path = Command.Run("losetup", "--find", "--show", "--sector-size", $"{blockBytes}", image);
        }
        catch
        {
            Directory.Delete(_root, recursive: true);
            throw;
        }
    }

    public string Path { get; }

    public static string? Refusal => !OperatingSystem.IsLinux() || !Environment.IsPrivilegedProcess
        ? "loop devices need root on Linux"
        : !File.Exists("/dev/loop-control") || !Command.Exists("losetup") ? "there are no loop devices" : null;

    public void Dispose()
    {
        _ = Command.TryRun("losetup", "--detach", Path);
        Directory.Delete(_root, recursive: true);
    }
}
