using System.Diagnostics.CodeAnalysis;
using Microsoft.Win32.SafeHandles;
using Sluice.Memory;

namespace Sluice.Files;

/// <summary>Reads a file to its end into a new array or a rented one.</summary>
internal static class WholeFile
{
    /// <summary>The initial size of the buffer for a file whose length is unknown, in bytes.</summary>
    private const int FirstGuessBytes = 4096;

    /// <summary>The number of bytes that are read before the length of the file is requested.</summary>
    private const int FirstReadBytes = 8192;

    /// <summary>
    /// Gets the hint for sequential reading, as in .NET. On Unix it would be an additional system call, which does not pay for small files.
    /// </summary>
    private static FileOptions SequentialScan => OperatingSystem.IsWindows() ? FileOptions.SequentialScan : FileOptions.None;

    public static SluiceHandle Open(string path, bool isAsync) => SluiceHandle.Open(
        path, FileMode.Open, FileAccess.Read, FileShare.Read, SequentialScan | (isAsync ? FileOptions.Asynchronous : FileOptions.None));

    /// <summary>
    /// Reads the whole file on the calling thread. The result is shorter than the length of the file if the file was truncated.
    /// </summary>
    public static byte[] Read(string path)
    {
        using SafeFileHandle file = File.OpenHandle(path, options: SequentialScan);
        return Read(file, path);
    }

    /// <inheritdoc cref="Read(string)"/>
    /// <param name="file">The open file. It stays open.</param>
    /// <param name="path">The path, for errors.</param>
    public static byte[] Read(SafeFileHandle file, string path)
    {
        if (TryGetLength(file, out long length) && length > 0)
        {
            byte[] bytes = NewArray(length <= Array.MaxLength ? (int)length : ThrowTooLong(path));
            for (int done = 0; done < bytes.Length;)
            {
                int count = RandomAccess.Read(file, bytes.AsSpan(done), done);
                if (count == 0)
                {
                    return bytes[..done];
                }

                done += count;
            }

            return LargeArrayRetention.Keep(bytes);
        }

        using RentedContent content = Rent(SluiceHandle.FromSafeFileHandle(file, path, FileAccess.Read, ownsHandle: false));
        return content.Span.ToArray();
    }

    public static async Task<byte[]> ReadAsync(SluiceHandle handle, CancellationToken cancellationToken)
    {
        using SluiceHandle _ = handle;
        int length = KnownLength(handle);
        await InlineLimit.SwitchThreadIfAboveAsync(length);
        if (length == 0)
        {
            using RentedContent content = await ReadToEndAsync(handle, length, cancellationToken).ConfigureAwait(false);
            return content.Span.ToArray();
        }

        byte[] bytes = NewArray(length);
        for (int done = 0; done < bytes.Length;)
        {
            int count = await handle.ReadAsync(bytes.AsMemory(done), done, cancellationToken).ConfigureAwait(false);
            if (count == 0)
            {
                return bytes[..done];
            }

            done += count;
        }

        return LargeArrayRetention.Keep(bytes);
    }

    /// <summary>Reads a file into a rented array on the calling thread, and closes the file.</summary>
    public static RentedContent Rent(SluiceHandle handle)
    {
        using SluiceHandle _ = handle;
        RentedContent content = new(FirstReadBytes, handle.Path);
        try
        {
            for (int done = 0; ;)
            {
                int bytes = handle.ReadSome(content.RoomAfter(done).Span, done);
                if (bytes == 0)
                {
                    content.Length = done;
                    return content;
                }

                // If the file ended within the first read, its length is not needed.
                done += bytes;
                if (bytes == content.Array.Length && KnownLength(handle) is var length && length > done)
                {
                    content.Grow(done, RoomFor(length));
                }
            }
        }
        catch
        {
            content.Dispose();
            throw;
        }
    }

    /// <summary>Reads a file into a rented array without blocking the calling thread.</summary>
    /// <param name="handle">The file. It stays open.</param>
    /// <param name="length">The result of <see cref="KnownLength"/>.</param>
    /// <param name="cancellationToken">The token to monitor for cancellation requests.</param>
    public static async ValueTask<RentedContent> ReadToEndAsync(SluiceHandle handle, int length, CancellationToken cancellationToken)
    {
        RentedContent content = new(RoomFor(length), handle.Path);
        try
        {
            for (int done = 0; ;)
            {
                int bytes = await handle.ReadAsync(content.RoomAfter(done), done, cancellationToken).ConfigureAwait(false);
                if (bytes == 0)
                {
                    content.Length = done;
                    return content;
                }

                done += bytes;
            }
        }
        catch
        {
            content.Dispose();
            throw;
        }
    }

    /// <summary>Returns the length plus one byte, so that the end of the file is found without a larger buffer.</summary>
    private static int RoomFor(int length) => length == 0 ? FirstGuessBytes : (int)Math.Min(length + 1L, Array.MaxLength);

    private static byte[] NewArray(int length)
    {
        byte[] bytes = GC.AllocateUninitializedArray<byte>(length);
        HugePages.Advise(bytes.AsSpan());
        return bytes;
    }

    /// <summary>Gets the length of the file. Returns false if the file has none, such as a pipe.</summary>
    private static bool TryGetLength(SafeFileHandle file, out long length)
    {
        try
        {
            length = RandomAccess.GetLength(file);
            return true;
        }
        catch (NotSupportedException)
        {
            length = 0;
            return false;
        }
    }

    /// <summary>Returns the length, or 0 if it is unknown: for files in /proc, pipes, and files that are empty.</summary>
    public static int KnownLength(SluiceHandle handle)
    {
        long length = handle.CanSeek ? handle.Length : 0;
        return length <= Array.MaxLength ? (int)length : ThrowTooLong(handle.Path);
    }

    /// <summary>Returns the exception for a file that exceeds the maximum length of an array.</summary>
    public static IOException TooLong(string path) =>
        new($"'{path}' is too long: at most {Array.MaxLength} bytes fit into an array.");

    [DoesNotReturn]
    private static int ThrowTooLong(string path) => throw TooLong(path);
}
