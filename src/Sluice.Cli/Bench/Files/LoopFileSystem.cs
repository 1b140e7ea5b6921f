using System.Globalization;
using Microsoft.Win32.SafeHandles;
using Sluice.Diagnostics;

namespace Sluice.Cli.Bench.Files;

/// <summary>
/// A file system of one's own in a file. It is unmounted as soon as it is open, lazily: the open folder keeps it alive, and a run that
/// is killed leaves no mount.
/// </summary>
internal sealed class LoopFileSystem : IDisposable
{
    /// <summary>xfs makes none that is smaller.</summary>
    private const long MinBytes = 512L << 20;

    private readonly string _image;
    private readonly OpenFolder _root;

    private LoopFileSystem(string image, OpenFolder root) => (_image, _root) = (image, root);

    /// <summary>A path for this process and those that it starts.</summary>
    public string Root => string.Create(CultureInfo.InvariantCulture, $"/proc/{Environment.ProcessId}/fd/{_root.Descriptor}");

    /// <summary>Whether one can be made, as far as that is known beforehand.</summary>
    public static bool MayBeMade => CapabilityProbe.IsSupported && Environment.IsPrivilegedProcess && File.Exists("/dev/loop-control");

    /// <exception cref="RowSkippedException">Only root may mount, or a program is missing.</exception>
    public static LoopFileSystem Make(string image, string fileSystem, long sizeBytes)
    {
        if (!CapabilityProbe.IsSupported || !Environment.IsPrivilegedProcess)
            throw new RowSkippedException("only root can mount an image");
        string folder = image + ".mount";
        try
        {
            using (SafeFileHandle file = File.OpenHandle(image, FileMode.Create, FileAccess.Write))
                RandomAccess.SetLength(file, Math.Max(sizeBytes, MinBytes));
            SystemCommand.Run($"mkfs.{fileSystem}", [.. OptionsOf(fileSystem), image]);
            Directory.CreateDirectory(folder);
            SystemCommand.Run("mount", "-o", fileSystem == "ext4" ? "loop,noinit_itable" : "loop", image, folder);
            try
            {
                return new LoopFileSystem(image, OpenFolder.Open(folder));
            }
            finally
            {
                SystemCommand.Run("umount", "--lazy", folder);
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
    public void Flush() => _root.FlushFileSystem();

    public void Dispose()
    {
        _root.Dispose();
        File.Delete(_image);
    }
}
