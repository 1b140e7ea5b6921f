using Microsoft.Win32.SafeHandles;
using Sluice.Errors;
using Sluice.Handles;
using Sluice.Kernel;
using Sluice.Uring;
using Sluice.Uring.Abi;

namespace Sluice.Files;

/// <summary>
/// Reads or writes a file of a batch outside its group: a file that is too large for a group, or that the group could not finish because it
/// is locked, has changed, has no length or failed. Results and exceptions are those of <see cref="File"/>, but only regular files are
/// accepted, because the other end of a FIFO, socket or device may never answer. The type is checked on the open descriptor.
/// </summary>
internal static class SingleFile
{
    /// <summary>Reads the whole file.</summary>
    public static byte[] Read(string path)
    {
        using SafeFileHandle file = Open(path, PathCalls.ReadOnly, createMode: 0, "Reading");
        return WholeFile.Read(file, path);
    }

    /// <summary>Reads the whole file. Data that is not in the page cache is read without blocking the calling thread.</summary>
    public static async Task<byte[]> ReadAsync(string path, CancellationToken cancellationToken)
    {
        using SafeFileHandle file = Open(path, PathCalls.ReadOnly, createMode: 0, "Reading");
        return await WholeFile.ReadAsync(
            SluiceHandle.FromSafeFileHandle(file, path, FileAccess.Read, ownsHandle: false), cancellationToken).ConfigureAwait(false);
    }

    /// <summary>Creates the file with the permissions <paramref name="createMode"/>, or truncates it, and writes the content.</summary>
    public static void Write(string path, ReadOnlySpan<byte> bytes, uint createMode)
    {
        using SafeFileHandle file = Open(path, PathCalls.WriteOnly | PathCalls.Create, createMode, "Writing");
        PathErrors.ThrowIfFailed(PathCalls.SetLength(Descriptor(file), 0), "Emptying", path);
        for (int done = 0; done < bytes.Length;)
        {
            // Writes at the position of the descriptor, because not every file in /proc accepts an offset.
            int written = TransferCalls.Write(Descriptor(file), bytes[done..], -1, RwFlags.None);
            if (written <= 0)
            {
                IoErrors.Throw(written < 0 ? -written : Errno.EIO, IoVerb.Write, path, done);
            }

            done += written;
        }

        WrittenFile.CloseUnshared(file, path);
    }

    private static SafeFileHandle Open(string path, int flags, uint createMode, string verb)
    {
        SafeFileHandle file = NonBlockingFile.Open(path, flags, createMode, verb, SmallFile.Refuse, out int type);
        if (type != Statx.TypeRegular)
        {
            file.Dispose();
            throw SmallFile.Refuse(verb, path);
        }

        if (Libc.LengthOf(Descriptor(file)) > 0)
        {
            // Clears O_NONBLOCK: a ring would return EAGAIN. Files without a length, such as those in /proc, may have no data available.
            _ = Libc.SetFlags(Descriptor(file), 0);
        }

        return file;
    }

    private static int Descriptor(SafeFileHandle file) => (int)file.DangerousGetHandle();
}
