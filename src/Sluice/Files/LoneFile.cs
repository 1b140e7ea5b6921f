using System.Buffers;
using Microsoft.Win32.SafeHandles;
using Sluice.Errors;
using Sluice.Handles;
using Sluice.Kernel;
using Sluice.Uring;
using Sluice.Uring.Abi;

namespace Sluice.Files;

/// <summary>
/// One file of a batch that is opened by itself: what is no plain file, is locked, has changed or went wrong. As <see cref="File"/> does
/// it, and with its exceptions, but waiting for nobody's other end: what is looked at is what was opened, whatever had the name a moment
/// before.
/// </summary>
internal static class LoneFile
{
    /// <summary>The whole content.</summary>
    public static byte[] Read(string path)
    {
        using SafeFileHandle file = OpenToRead(path, out bool isPlain);
        return isPlain ? WholeFile.Read(file, path) : ReadNow(file, path);
    }

    /// <summary>As <see cref="Read"/>; what of a plain file is not in memory is read without this thread.</summary>
    public static async Task<byte[]> ReadAsync(string path, CancellationToken cancellationToken)
    {
        using SafeFileHandle file = OpenToRead(path, out bool isPlain);
        return isPlain
            ? await WholeFile.ReadAsync(
                SluiceHandle.FromSafeFileHandle(file, path, FileAccess.Read, ownsHandle: false), cancellationToken).ConfigureAwait(false)
            : ReadNow(file, path);
    }

    /// <summary>Makes the file with the permissions <paramref name="createMode"/>, or empties and fills it.</summary>
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

    /// <summary>Reads to the end without waiting: EAGAIN, which says that there is nothing now, is an error here.</summary>
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

    /// <param name="path">The file.</param>
    /// <param name="isPlain">
    /// Whether it is a plain file with a length, which a ring may wait for. Devices, and files of /proc and /sys, which may have nothing to
    /// give now, are read without waiting.
    /// </param>
    private static SafeFileHandle OpenToRead(string path, out bool isPlain)
    {
        SafeFileHandle file = Open(path, PathCalls.ReadOnly, createMode: 0, "Reading", out int type);
        isPlain = type == Statx.TypeRegular && Libc.LengthOf(Descriptor(file)) > 0;
        if (isPlain)
        {
            // Only a ring heeds O_NONBLOCK of a plain file, and asks again where it fails.
            _ = Libc.SetFlags(Descriptor(file), 0);
        }

        return file;
    }

    private static SafeFileHandle Open(string path, int flags, uint createMode, string verb, out int type) =>
        UnwaitingFile.Open(path, flags, createMode, verb, SmallFile.RefuseFifo, out type);

    private static int Descriptor(SafeFileHandle file) => (int)file.DangerousGetHandle();
}
