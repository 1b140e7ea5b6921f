using System.Globalization;
using Microsoft.Win32.SafeHandles;
using Sluice.Interop;

namespace Sluice.Cli.Bench.Files;

/// <summary>
/// A file system of one's own in a file. It is unmounted as soon as it is open, lazily: the open folder keeps it alive, and a run that
/// is killed leaves no mount.
/// </summary>
internal sealed class LoopFileSystem : IDisposable
{
    /// <summary>xfs makes none that is smaller.</summary>
    private const long FewestBytes = 512L << 20;

    private readonly string _image;
    private readonly SafeFileHandle _root;

    private LoopFileSystem(string image, SafeFileHandle root) => (_image, _root) = (image, root);

    /// <summary>A path for this process and those that it starts.</summary>
    public string Root => string.Create(CultureInfo.InvariantCulture, $"/proc/{Environment.ProcessId}/fd/{_root.DangerousGetHandle()}");

    /// <exception cref="RowSkippedException">Only root may mount, or a program is missing.</exception>
    public static LoopFileSystem Make(string image, string fileSystem, long sizeBytes)
    {
        if (!OperatingSystem.IsLinux() || !Environment.IsPrivilegedProcess)
            throw new RowSkippedException("only root can mount an image");
        string folder = image + ".mount";
        try
        {
            using (SafeFileHandle file = File.OpenHandle(image, FileMode.Create, FileAccess.Write))
                RandomAccess.SetLength(file, Math.Max(sizeBytes, FewestBytes));
            PeerProgram.Run($"mkfs.{fileSystem}", [.. OptionsOf(fileSystem), image]);
            Directory.CreateDirectory(folder);
            PeerProgram.Run("mount", "-o", fileSystem == "ext4" ? "loop,noinit_itable" : "loop", image, folder);
            try
            {
                int fd = PathCalls.Open(PathCalls.ToKernel(folder), PathCalls.ReadOnly | PathCalls.DirectoryFlag);
                return fd >= 0
                    ? new LoopFileSystem(image, new SafeFileHandle(fd, ownsHandle: true))
                    : throw new IOException($"{folder} could not be opened");
            }
            finally
            {
                PeerProgram.Run("umount", "--lazy", folder);
                Directory.Delete(folder);
            }
        }
        catch (IOException e)
        {
            File.Delete(image);
            throw new RowSkippedException($"no {fileSystem} image: {e.Message}", e);
        }
    }

    private static string[] OptionsOf(string fileSystem) => fileSystem switch
    {
        "xfs" => ["-q", "-m", "reflink=1"],
        // An inode for each block.
        "ext4" => ["-q", "-F", "-i", "4096", "-E", "nodiscard"],
        _ => ["-q"],
    };

    /// <summary>What was written is on it: blocks without a place cannot be shared.</summary>
    public void Flush() => _ = CopyCalls.FlushFileSystem((int)_root.DangerousGetHandle());

    public void Dispose()
    {
        _root.Dispose();
        File.Delete(_image);
    }
}
