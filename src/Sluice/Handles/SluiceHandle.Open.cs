using Microsoft.Win32.SafeHandles;
using Sluice.Handles;
using Sluice.Kernel;

namespace Sluice;

// Opening files, and taking handles that are open.
public sealed partial class SluiceHandle
{
    /// <summary>Opens a file as <see cref="File.OpenHandle"/> does, with the same exceptions.</summary>
    /// <param name="path">The file.</param>
    /// <param name="mode">Which file may be there, and what happens to it.</param>
    /// <param name="access">Reading, writing or both.</param>
    /// <param name="share">What others may do with it meanwhile: an advisory lock on Unix.</param>
    /// <param name="options">Further options.</param>
    /// <param name="preallocationSize">Bytes to reserve; an <see cref="IOException"/> when the disk has not that many, and no file
    /// stays.</param>
    /// <param name="caching">
    /// How data passes through the page cache; what took effect is <see cref="OpenFile.Caching"/>. Not Direct or Uncached for many small
    /// transfers: each goes to the device by itself, and has a block's edges to take care of (<see cref="OpenFile.EdgeTransfers"/>).
    /// </param>
    /// <exception cref="ArgumentOutOfRangeException">Among others: <paramref name="caching"/> is none of its values.</exception>
    public static SluiceHandle Open(
        string path,
        FileMode mode = FileMode.Open,
        FileAccess access = FileAccess.Read,
        FileShare share = FileShare.Read,
        FileOptions options = FileOptions.None,
        long preallocationSize = 0,
        FileCaching caching = FileCaching.Cached)
    {
        ThrowIfUnknown(caching);
        path = ToFullPath(path);
        SafeFileHandle file = File.OpenHandle(path, mode, access, share, options, preallocationSize);
        return Adopt(file, path, access, caching, null);
    }

    /// <summary>Opens a file as <see cref="File.OpenHandle"/> does, with the same exceptions.</summary>
    /// <param name="path">The file.</param>
    /// <param name="options">How.</param>
    /// <exception cref="ArgumentNullException"><paramref name="options"/> is null.</exception>
    /// <exception cref="ArgumentOutOfRangeException">An option has a value that it cannot have.</exception>
    public static SluiceHandle Open(string path, SluiceOptions options)
    {
        ArgumentNullException.ThrowIfNull(options);
        ThrowIfUnknown(options.Caching);
        path = ToFullPath(path);
        SafeFileHandle file = options.UnixCreateMode is { } unixMode && !OperatingSystem.IsWindows()
            ? OpenWithUnixMode(path, options, unixMode)
            : File.OpenHandle(path, options.Mode, options.Access, options.Share, options.Options, options.PreallocationSize);
        return Adopt(file, path, options.Access, options.Caching, options.Engine);
    }

    /// <summary>Takes a handle that is open already. Its caching is found out, not changed.</summary>
    /// <param name="handle">An open handle.</param>
    /// <param name="access">What it was opened for.</param>
    /// <param name="ownsHandle">Whether disposing this object closes it.</param>
    /// <exception cref="ArgumentNullException"><paramref name="handle"/> is null.</exception>
    /// <exception cref="ArgumentException"><paramref name="handle"/> is invalid.</exception>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="access"/> is none of its values.</exception>
    /// <exception cref="ObjectDisposedException"><paramref name="handle"/> is closed.</exception>
    public static SluiceHandle FromSafeFileHandle(SafeFileHandle handle, FileAccess access, bool ownsHandle)
    {
        ArgumentNullException.ThrowIfNull(handle);
        ObjectDisposedException.ThrowIf(handle.IsClosed, handle);
        if (handle.IsInvalid)
        {
            throw new ArgumentException("The handle is invalid.", nameof(handle));
        }

        if (access is < FileAccess.Read or > FileAccess.ReadWrite)
        {
            throw new ArgumentOutOfRangeException(nameof(access));
        }

        return FromSafeFileHandle(handle, path: null, access, ownsHandle);
    }

    /// <summary>As the public one, for what was opened by another way; errors name <paramref name="path"/>.</summary>
    internal static SluiceHandle FromSafeFileHandle(
        SafeFileHandle handle, string? path, FileAccess access, bool ownsHandle, IoEngine? engine = null)
    {
        FileCaching caching = Libc.IsSupported && IsDirect(handle) ? FileCaching.Direct : FileCaching.Cached;
        return new SluiceHandle(handle, path, access, caching, engine, ownsHandle);
    }

    /// <summary>Once for both System.IO and this handle; what is no path at all goes to System.IO as it is, for its exception.</summary>
    private static string ToFullPath(string path) =>
        string.IsNullOrEmpty(path) || path.Contains('\0', StringComparison.Ordinal) ? path : System.IO.Path.GetFullPath(path);

    /// <summary>Takes over what was opened just now; it is closed where this throws.</summary>
    internal static SluiceHandle Adopt(SafeFileHandle file, string path, FileAccess access, FileCaching caching, IoEngine? engine)
    {
        try
        {
            return new SluiceHandle(file, path, access, caching, engine, ownsHandle: true);
        }
        catch
        {
            file.Dispose();
            throw;
        }
    }

    [System.Runtime.Versioning.UnsupportedOSPlatform("windows")]
    private static SafeFileHandle OpenWithUnixMode(string path, SluiceOptions options, UnixFileMode unixMode)
    {
        // File.OpenHandle takes no Unix mode; FileStream does, and hands its handle over.
        FileStream stream = new(path, new FileStreamOptions
        {
            Mode = options.Mode,
            Access = options.Access,
            Share = options.Share,
            Options = options.Options,
            PreallocationSize = options.PreallocationSize,
            BufferSize = 0,
            UnixCreateMode = unixMode,
        });
        return BorrowedStream.Forget(stream).SafeFileHandle;
    }

    private static void ThrowIfUnknown(FileCaching caching)
    {
        if (caching is < FileCaching.Cached or > FileCaching.Direct)
        {
            throw new ArgumentOutOfRangeException(nameof(caching));
        }
    }
}
