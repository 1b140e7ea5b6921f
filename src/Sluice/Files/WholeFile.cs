using System.Diagnostics.CodeAnalysis;
using Microsoft.Win32.SafeHandles;
using Sluice.Memory;

namespace Sluice.Files;

/// <summary>Reads a file to its end, into an array of its size or a rented one.</summary>
internal static class WholeFile
{
    /// <summary>What a file without a length is first read into, in bytes.</summary>
    private const int FirstGuessBytes = 4096;

    /// <summary>The bytes that are read before the length of a file is asked for.</summary>
    private const int FirstReadBytes = 8192;

    /// <summary>As .NET: elsewhere than on Windows the hint is a system call of its own, which small files do not earn back.</summary>
    private static FileOptions SequentialScan => OperatingSystem.IsWindows() ? FileOptions.SequentialScan : FileOptions.None;

    public static SluiceHandle Open(string path, bool isAsync) => SluiceHandle.Open(
        path, FileMode.Open, FileAccess.Read, FileShare.Read, SequentialScan | (isAsync ? FileOptions.Asynchronous : FileOptions.None));

    /// <summary>The whole file, read on the caller's thread; to its end, where that is before what its length says.</summary>
    public static byte[] Read(string path)
    {
        using SafeFileHandle file = File.OpenHandle(path, options: SequentialScan);
        return Read(file, path);
    }

    /// <inheritdoc cref="Read(string)"/>
    /// <param name="file">The file, open; it stays the caller's.</param>
    /// <param name="path">Its path, for errors.</param>
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

            return LargeArrayHold.Keep(bytes);
        }

        using RentedContent content = Rent(SluiceHandle.FromSafeFileHandle(file, path, FileAccess.Read, ownsHandle: false));
        return content.Span.ToArray();
    }

    public static async Task<byte[]> ReadAsync(SluiceHandle handle, CancellationToken cancellationToken)
    {
        using SluiceHandle _ = handle;
        int length = KnownLength(handle);
        await InlineLimit.LeaveCallerIfAboveAsync(length);
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

        return LargeArrayHold.Keep(bytes);
    }

    /// <summary>Reads a file into a rented buffer on the calling thread, and closes it.</summary>
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

                // A file that ends within the first read needs no call that tells its length.
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

    /// <summary>Reads a file into a rented buffer without blocking.</summary>
    /// <param name="handle">The file; it stays the caller's.</param>
    /// <param name="length">What <see cref="KnownLength"/> says.</param>
    /// <param name="cancellationToken">Ends it.</param>
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

    /// <summary>One more than the length, so that the end is found without a larger buffer.</summary>
    private static int RoomFor(int length) => length == 0 ? FirstGuessBytes : (int)Math.Min(length + 1L, Array.MaxLength);

    private static byte[] NewArray(int length)
    {
        byte[] bytes = GC.AllocateUninitializedArray<byte>(length);
        HugePages.Advise(bytes.AsSpan());
        return bytes;
    }

    /// <summary>False for pipes and the like.</summary>
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

    /// <summary>0 where the length says nothing: files of /proc, pipes, and those that are empty now.</summary>
    public static int KnownLength(SluiceHandle handle)
    {
        long length = handle.CanSeek ? handle.Length : 0;
        return length <= Array.MaxLength ? (int)length : ThrowTooLong(handle.Path);
    }

    /// <summary>A file that no array of .NET holds.</summary>
    public static IOException TooLong(string path) =>
        new($"'{path}' is too long: at most {Array.MaxLength} bytes fit into an array.");

    [DoesNotReturn]
    private static int ThrowTooLong(string path) => throw TooLong(path);
}
