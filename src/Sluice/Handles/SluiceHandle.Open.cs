using Microsoft.Win32.SafeHandles;
using Sluice.Handles;
using Sluice.Kernel;

namespace Sluice;

// Opening files and adopting open handles.
public sealed partial class SluiceHandle
{
    /// <summary>Opens a file.</summary>
    /// <param name="path">The path of the file.</param>
    /// <param name="mode">
    /// The mode that determines whether the file is opened, created or truncated. The default is <see cref="FileMode.Open"/>.
    /// </param>
    /// <param name="access">The access for which the file is opened. The default is <see cref="FileAccess.Read"/>.</param>
    /// <param name="share">
    /// The access that others may have to the file while it is open. On Unix this is an advisory lock. The default is
    /// <see cref="FileShare.Read"/>.
    /// </param>
    /// <param name="options">Additional options. The default is <see cref="FileOptions.None"/>.</param>
    /// <param name="preallocationSize">
    /// The number of bytes of disk space to reserve. The default is 0, which reserves none. A larger value requires
    /// <see cref="FileMode.Create"/> or <see cref="FileMode.CreateNew"/> and access for writing.
    /// </param>
    /// <param name="caching">
    /// The caching mode. The default is <see cref="FileCaching.Cached"/>. The other modes are slow for many small transfers; see
    /// <see cref="FileCaching"/>.
    /// </param>
    /// <returns>The open file. Disposing it closes the file.</returns>
    /// <remarks>
    /// The arguments have the same meaning as for
    /// <see cref="File.OpenHandle(string, FileMode, FileAccess, FileShare, FileOptions, long)"/>. If the file does not support
    /// <paramref name="caching"/>, it is opened with another mode. <see cref="OpenFile.Caching"/> contains the mode in effect.
    /// </remarks>
    /// <exception cref="ArgumentNullException"><paramref name="path"/> is <see langword="null"/>.</exception>
    /// <exception cref="ArgumentException"><paramref name="path"/> is empty, or the arguments contradict each other.</exception>
    /// <exception cref="ArgumentOutOfRangeException">
    /// <paramref name="preallocationSize"/> is negative, or another argument has an undefined value.
    /// </exception>
    /// <exception cref="FileNotFoundException">The file does not exist, and <paramref name="mode"/> requires an existing file.</exception>
    /// <exception cref="DirectoryNotFoundException">A directory of the path does not exist.</exception>
    /// <exception cref="UnauthorizedAccessException">The path is a directory, or the operating system denies the access.</exception>
    /// <exception cref="PathTooLongException">The path is longer than the operating system allows.</exception>
    /// <exception cref="IOException">
    /// The file exists and <paramref name="mode"/> is <see cref="FileMode.CreateNew"/>; or another program has opened the file and does not
    /// share it; or there is not enough disk space for <paramref name="preallocationSize"/>, in which case no new file remains; or the
    /// operating system reported another error.
    /// </exception>
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

    /// <summary>Opens a file with the specified options.</summary>
    /// <param name="path">The path of the file.</param>
    /// <param name="options">The options. <see cref="SluiceOptions.BufferSize"/> is ignored, because a handle has no buffer.</param>
    /// <returns>The open file. Disposing it closes the file.</returns>
    /// <exception cref="ArgumentNullException"><paramref name="path"/> or <paramref name="options"/> is <see langword="null"/>.</exception>
    /// <exception cref="ArgumentException"><paramref name="path"/> is empty, or the options contradict each other.</exception>
    /// <exception cref="ArgumentOutOfRangeException">An option has an undefined or negative value.</exception>
    /// <exception cref="FileNotFoundException">The file does not exist, and the mode requires an existing file.</exception>
    /// <exception cref="DirectoryNotFoundException">A directory of the path does not exist.</exception>
    /// <exception cref="UnauthorizedAccessException">The path is a directory, or the operating system denies the access.</exception>
    /// <exception cref="PathTooLongException">The path is longer than the operating system allows.</exception>
    /// <exception cref="IOException">
    /// The file exists and the mode is <see cref="FileMode.CreateNew"/>; or another program has opened the file and does not share it; or
    /// there is not enough disk space for <see cref="SluiceOptions.PreallocationSize"/>; or the operating system reported another error.
    /// </exception>
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

    /// <summary>Creates a handle from an operating system handle that is already open.</summary>
    /// <param name="handle">The operating system handle.</param>
    /// <param name="access">The access for which the operating system handle was opened.</param>
    /// <param name="ownsHandle">
    /// <see langword="true"/> to close <paramref name="handle"/> when the returned object is disposed; <see langword="false"/> to leave it
    /// open.
    /// </param>
    /// <returns>
    /// The new handle. Its <see cref="OpenFile.Caching"/> is <see cref="FileCaching.Direct"/> if the file is open with O_DIRECT, and
    /// <see cref="FileCaching.Cached"/> otherwise. The value of its <see cref="OpenFile.Path"/> is a text with the number of the operating
    /// system handle.
    /// </returns>
    /// <exception cref="ArgumentNullException"><paramref name="handle"/> is <see langword="null"/>.</exception>
    /// <exception cref="ArgumentException"><paramref name="handle"/> is invalid.</exception>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="access"/> has an undefined value.</exception>
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

    /// <summary>Creates a handle for a file that was opened in another way. Errors contain <paramref name="path"/>.</summary>
    internal static SluiceHandle FromSafeFileHandle(
        SafeFileHandle handle, string? path, FileAccess access, bool ownsHandle, IoEngine? engine = null)
    {
        FileCaching caching = Libc.IsSupported && IsDirect(handle) ? FileCaching.Direct : FileCaching.Cached;
        return new SluiceHandle(handle, path, access, caching, engine, ownsHandle);
    }

    /// <summary>
    /// Resolves the path once for System.IO and this handle. An invalid path is passed on, so that System.IO throws its exception.
    /// </summary>
    private static string ToFullPath(string path) =>
        string.IsNullOrEmpty(path) || path.Contains('\0') ? path : System.IO.Path.GetFullPath(path);

    /// <summary>Creates a handle for a file that was just opened, or closes the file if that fails.</summary>
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
        // File.OpenHandle has no parameter for the mode. FileStream has, and its handle is taken over.
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
