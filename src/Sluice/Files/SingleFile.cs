using System.Buffers;
using Microsoft.Win32.SafeHandles;
using Sluice.Errors;
using Sluice.Handles;
using Sluice.Kernel;
using Sluice.Uring;
using Sluice.Uring.Abi;

namespace Sluice.Files;

/// <summary>
/// Reads or writes a file of a batch outside its group: a file that is not a regular file, is locked, has changed, or failed. Results and
/// exceptions are those of <see cref="File"/>, but the methods never wait for another process. The type is checked on the open descriptor.
/// </summary>
internal static class SingleFile
{
    /// <summary>Reads the whole file.</summary>
    public static byte[] Read(string path)
    {
        using SafeFileHandle file = OpenToRead(path, out bool isPlain);
        return isPlain ? WholeFile.Read(file, path) : ReadNow(file, path);
    }

    /// <summary>
    /// As <see cref="Read"/>, but data of a regular file that is not in the page cache is read without blocking the calling thread.
    /// </summary>
    public static async Task<byte[]> ReadAsync(string path, CancellationToken cancellationToken)
    {
        using SafeFileHandle file = OpenToRead(path, out bool isPlain);
        return isPlain
            ? await WholeFile.ReadAsync(
                SluiceHandle.FromSafeFileHandle(file, path, FileAccess.Read, ownsHandle: false), cancellationToken).ConfigureAwait(false)
            : ReadNow(file, path);
    }

    /// <summary>Creates the file with the permissions <paramref name="createMode"/>, or truncates it, and writes the content.</summary>
    public static void Write(string path, ReadOnlySpan<byte> bytes, uint createMode)
    {
        const int flags = PathCalls.WriteOnly | PathCalls.Create;
        using SafeFileHandle file = Open(path, flags, createMode, "Writing", out int type);
        int result = type == Statx.TypeRegular ? PathCalls.SetLength(Descriptor(file), 0) : 0;
        PathErrors.ThrowIfFailed(result, "Emptying", path);
        bool seeks = true;
        for (int done = 0; done < bytes.Length;)
        {
            int written = TransferCalls.Write(Descriptor(file), bytes[done..], seeks ? done : -1, RwFlags.None);
            if (written == -Errno.ESPIPE && seeks)
            {
                seeks = false;
                continue;
            }

            if (written <= 0)
            {
                IoErrors.Throw(written < 0 ? -written : Errno.EIO, IoVerb.Write, path, seeks ? done : -1);
            }

            done += written;
        }

        WrittenFile.CloseUnshared(file, path);
    }

    /// <summary>Reads to the end without waiting. EAGAIN, which means that no data is available now, is an error here.</summary>
    private static byte[] ReadNow(SafeFileHandle file, string path)
    {
        ArrayBufferWriter<byte> content = new();
        bool seeks = true;
        while (true)
        {
            int offset = content.WrittenCount;
            Span<byte> room = content.GetSpan(Environment.SystemPageSize);
            int bytes = TransferCalls.Read(Descriptor(file), room, seeks ? offset : -1, RwFlags.None);
            if (bytes == -Errno.ESPIPE && seeks)
            {
                seeks = false;
            }
            else if (bytes < 0)
            {
                IoErrors.Throw(-bytes, IoVerb.Read, path, seeks ? offset : -1);
            }
            else if (bytes == 0)
            {
                return content.WrittenSpan.ToArray();
            }
            else
            {
                content.Advance(bytes);
            }
        }
    }

    /// <param name="path">The path of the file.</param>
    /// <param name="isPlain">
    /// True for a regular file whose length is not 0, which can be read by blocking calls. Devices and files in /proc and /sys are read
    /// without waiting, because they may have no data available.
    /// </param>
    private static SafeFileHandle OpenToRead(string path, out bool isPlain)
    {
        SafeFileHandle file = Open(path, PathCalls.ReadOnly, createMode: 0, "Reading", out int type);
        isPlain = type == Statx.TypeRegular && Libc.LengthOf(Descriptor(file)) > 0;
        if (isPlain)
        {
            // Clears O_NONBLOCK: a ring would return EAGAIN for a regular file that is open with it.
            _ = Libc.SetFlags(Descriptor(file), 0);
        }

        return file;
    }

    private static SafeFileHandle Open(string path, int flags, uint createMode, string verb, out int type) =>
        NonBlockingFile.Open(path, flags, createMode, verb, SmallFile.RefuseFifo, out type);

    private static int Descriptor(SafeFileHandle file) => (int)file.DangerousGetHandle();
}
