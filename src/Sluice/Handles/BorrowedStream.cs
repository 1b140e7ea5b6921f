using Microsoft.Win32.SafeHandles;

namespace Sluice.Handles;

/// <summary>
/// A FileStream over a handle that is not its own, for what only FileStream knows: names, locks, the operating system's position on
/// other systems than Linux. It has no buffer, and is neither disposed nor finalized: the handle stays open.
/// </summary>
internal static class BorrowedStream
{
    public static FileStream Over(SafeFileHandle file, FileAccess access) => Forget(new FileStream(file, access, 0, file.IsAsync));

    /// <summary>Takes a stream's handle away from it.</summary>
    public static FileStream Forget(FileStream stream)
    {
#pragma warning disable CA1816 // The stream is left to the collector without its finalizer, which would close a handle that is ours.
        GC.SuppressFinalize(stream);
#pragma warning restore CA1816
        return stream;
    }

    public static long PositionOf(SafeFileHandle file, FileAccess access)
    {
        FileStream stream = Over(file, access);
        return stream.CanSeek ? stream.Position : 0;
    }

    /// <summary>FileStream sets the operating system's position when its handle is asked for.</summary>
    public static void SetPosition(SafeFileHandle file, FileAccess access, long position)
    {
        FileStream stream = Over(file, access);
        stream.Position = position;
        _ = stream.SafeFileHandle;
    }
}
