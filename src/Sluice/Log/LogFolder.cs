using System.Globalization;
using Microsoft.Win32.SafeHandles;
using Sluice.Errors;
using Sluice.Kernel;
using Sluice.Uring;

namespace Sluice.Log;

/// <summary>The folder of a log: the names of its segments.</summary>
internal sealed class LogFolder(string path, string extension)
{
    public const string FramedExtension = ".slog";
    public const string RawExtension = ".log";
    public const string StateName = "log.state";

    public string Path { get; } = path;

    public string PathOf(long id) => System.IO.Path.Combine(Path, LogLayout.NameOf(id, extension));

    /// <summary>The ids of the segments, smallest first.</summary>
    public List<long> List()
    {
        List<long> ids = [];
        foreach (string file in Directory.EnumerateFiles(Path, "*" + extension))
        {
            ReadOnlySpan<char> name = System.IO.Path.GetFileNameWithoutExtension(file.AsSpan());
            if (name.Length >= 10
                && long.TryParse(name, NumberStyles.None, CultureInfo.InvariantCulture, out long id)
                && string.Equals(System.IO.Path.GetFileName(file), LogLayout.NameOf(id, extension), StringComparison.Ordinal))
            {
                ids.Add(id);
            }
        }

        ids.Sort();
        return ids;
    }

    /// <summary>
    /// Makes the names in the folder durable (fsync). Where a file system or an operating system has no such call for folders, its own
    /// order must do.
    /// </summary>
    /// <exception cref="IOException">The device failed, or the folder is gone.</exception>
    public void FlushToDisk()
    {
        if (!Libc.IsSupported)
        {
            return;
        }

        int fd = PathCalls.Open(PathCalls.ToKernel(Path), PathCalls.ReadOnly | PathCalls.DirectoryFlag);
        PathErrors.ThrowIfFailed(fd, "Opening the folder", Path);
        using SafeFileHandle folder = new(fd, ownsHandle: true);
        int result = Libc.Flush(fd, dataOnly: false);
        PathErrors.ThrowIfFailed(result is -Errno.EINVAL or -Errno.EOPNOTSUPP ? 0 : result, "Flushing the folder", Path);
    }
}
