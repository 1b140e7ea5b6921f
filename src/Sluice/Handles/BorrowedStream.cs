using Microsoft.Win32.SafeHandles;

namespace Sluice.Handles;

/// <summary>
/// Creates a FileStream over a handle that it does not own, for operations that only FileStream offers: names, locks, and on systems other
/// than Linux the file position. The stream has no buffer and is neither disposed nor finalized, so that the handle stays open.
/// </summary>
internal static class BorrowedStream
{
    public static FileStream Over(SafeFileHandle file, FileAccess access) => Forget(new FileStream(file, access, 0, file.IsAsync));

    /// <summary>Prevents the stream from closing the handle.</summary>
    public static FileStream Forget(FileStream stream)
    {
#pragma warning disable CA1816 // Suppresses the finalizer of the stream, which would close the handle.
        GC.SuppressFinalize(stream);
#pragma warning restore CA1816
        return stream;
    }

    public static long PositionOf(SafeFileHandle file, FileAccess access)
    {
        FileStream stream = Over(file, access);
        return stream.CanSeek ? stream.Position : 0;
    }

    /// <summary>Sets the file position of the handle: FileStream does this when its handle is requested.</summary>
    public static void SetPosition(SafeFileHandle file, FileAccess access, long position)
    {
        FileStream stream = Over(file, access);
        stream.Position = position;
        _ = stream.SafeFileHandle;
    }
}
