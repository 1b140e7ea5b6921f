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
        int result = Flush(Path);
        PathErrors.ThrowIfFailed(result, "Flushing the folder", Path);
    }

    /// <summary>
    /// Makes the folder, and those above it that are missing, so that they are there after a power cut: each name is flushed in the folder
    /// that holds it. So is the log's own name where the folder is there already: who made it may not have done it.
    /// </summary>
    /// <param name="path">A full path without a separator at its end.</param>
    /// <exception cref="IOException">A folder cannot be made, or its name cannot be flushed.</exception>
    /// <exception cref="UnauthorizedAccessException">A folder may not be made.</exception>
    public static void Make(string path)
    {
        string? oldest = System.IO.Path.GetDirectoryName(path);
        while (oldest is not null && !Directory.Exists(oldest))
        {
            oldest = System.IO.Path.GetDirectoryName(oldest);
        }

        _ = Directory.CreateDirectory(path);
        for (string? at = path; at != oldest && (at = System.IO.Path.GetDirectoryName(at)) is not null;)
        {
            int result = Flush(at);
            if (result == -Errno.EACCES)
            {
                // A folder that may be searched and not read cannot be opened to be flushed.
                result = FlushFileSystem(path);
            }

            // A read-only file system, on which the log's own is mounted, has nothing to flush.
            PathErrors.ThrowIfFailed(result == -Errno.EROFS ? 0 : result, "Flushing the folder", at);
        }
    }

    /// <summary>fsync(2); 0 where the operating system or the file system has no such call for folders.</summary>
    private static int Flush(string path) => WithFolder(path, static fd => Libc.Flush(fd, dataOnly: false));

    private static int FlushFileSystem(string path) => WithFolder(path, CopyCalls.FlushFileSystem);

    private static int WithFolder(string path, Func<int, int> flush)
    {
        if (!Libc.IsSupported)
        {
            return 0;
        }

        int fd = PathCalls.Open(PathCalls.ToKernel(path), PathCalls.ReadOnly | PathCalls.DirectoryFlag);
        if (fd < 0)
        {
            return fd;
        }

        using SafeFileHandle folder = new(fd, ownsHandle: true);
        int result = flush(fd);
        return result is -Errno.EINVAL or -Errno.EOPNOTSUPP ? 0 : result;
    }
}
