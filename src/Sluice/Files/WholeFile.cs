using System.Diagnostics.CodeAnalysis;
using Microsoft.Win32.SafeHandles;
using Sluice.Interop;

namespace Sluice.Files;

/// <summary>Reads a file to its end, into an array of its size or a rented one.</summary>
internal static class WholeFile
{
    /// <summary>What a file without a length is first read into, in bytes.</summary>
    private const int FirstGuessBytes = 4096;

    /// <summary>As .NET: elsewhere than on Windows the hint is a system call of its own, which small files do not earn back.</summary>
    private static FileOptions SequentialScan => OperatingSystem.IsWindows() ? FileOptions.SequentialScan : FileOptions.None;

    public static SluiceHandle Open(string path, bool isAsync) => SluiceHandle.Open(
        path, FileMode.Open, FileAccess.Read, FileShare.Read, SequentialScan | (isAsync ? FileOptions.Asynchronous : FileOptions.None));

    /// <summary>The whole file, read on the caller's thread.</summary>
    public static byte[] Read(string path)
    {
        using SafeFileHandle file = File.OpenHandle(path, options: SequentialScan);
        if (TryGetLength(file, out long length) && length > 0)
        {
            byte[] bytes = NewArray(length <= Array.MaxLength ? (int)length : ThrowTooLong(path));
            for (int done = 0; done < bytes.Length;)
            {
                int count = RandomAccess.Read(file, bytes.AsSpan(done), done);
                done += count > 0 ? count : throw new EndOfStreamException($"'{path}' became shorter while it was being read.");
            }

            return LargeArrayHold.Keep(bytes);
        }

        using RentedContent content = Rent(SluiceHandle.FromSafeFileHandle(file, FileAccess.Read, ownsHandle: false));
        return content.Span.ToArray();
    }

    public static async Task<byte[]> ReadAsync(SluiceHandle handle, CancellationToken cancellationToken)
    {
        using SluiceHandle _ = handle;
        long length = KnownLength(handle);
        if (length == 0)
        {
            using RentedContent content = await ReadUnknownAsync(handle, cancellationToken).ConfigureAwait(false);
            return content.Span.ToArray();
        }

        byte[] bytes = NewArray((int)length);
        await FillAsync(handle, bytes, cancellationToken).ConfigureAwait(false);
        return LargeArrayHold.Keep(bytes);
    }

    /// <summary>The content in a rented buffer, for callers that make something else of it.</summary>
    public static async ValueTask<RentedContent> RentAsync(SluiceHandle handle, CancellationToken cancellationToken)
    {
        using SluiceHandle _ = handle;
        long length = KnownLength(handle);
        if (length == 0)
        {
            return await ReadUnknownAsync(handle, cancellationToken).ConfigureAwait(false);
        }

        RentedContent content = new((int)length);
        try
        {
            await FillAsync(handle, content.Array.AsMemory(0, content.Length), cancellationToken).ConfigureAwait(false);
            return content;
        }
        catch
        {
            content.Dispose();
            throw;
        }
    }

    /// <summary>As <see cref="RentAsync"/>, on the caller's thread.</summary>
    public static RentedContent Rent(SluiceHandle handle)
    {
        using SluiceHandle _ = handle;
        int length = KnownLength(handle);
        RentedContent content = new(Math.Max(length, FirstGuessBytes));
        try
        {
            for (int done = 0; ;)
            {
                if (length > 0 && done == length)
                {
                    content.Length = done;
                    return content;
                }

                if (done == content.Array.Length)
                {
                    content.Grow(done);
                }

                int end = length > 0 ? length : content.Array.Length;
                int bytes = handle.Read(content.Array.AsSpan(done, end - done), done);
                if (bytes == 0)
                {
                    ThrowIfShort(length, handle);
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

    private static async ValueTask FillAsync(SluiceHandle handle, Memory<byte> buffer, CancellationToken cancellationToken)
    {
        for (int done = 0; done < buffer.Length;)
        {
            int bytes = await handle.ReadAsync(buffer[done..], done, cancellationToken).ConfigureAwait(false);
            if (bytes == 0)
            {
                ThrowIfShort(buffer.Length, handle);
            }

            done += bytes;
        }
    }

    private static async ValueTask<RentedContent> ReadUnknownAsync(SluiceHandle handle, CancellationToken cancellationToken)
    {
        RentedContent content = new(FirstGuessBytes);
        try
        {
            for (int done = 0; ;)
            {
                if (done == content.Array.Length)
                {
                    content.Grow(done);
                }

                int bytes = await handle.ReadAsync(content.Array.AsMemory(done), done, cancellationToken).ConfigureAwait(false);
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

    /// <summary>0 where the length says nothing: files of /proc, pipes, and those that are empty now.</summary>
    private static int KnownLength(SluiceHandle handle)
    {
        long length = handle.CanSeek ? handle.Length : 0;
        return length <= Array.MaxLength ? (int)length : ThrowTooLong(handle.Path);
    }

    private static void ThrowIfShort(int length, SluiceHandle handle)
    {
        if (length > 0)
        {
            throw new EndOfStreamException($"'{handle.Path}' became shorter while it was being read.");
        }
    }

    [DoesNotReturn]
    private static int ThrowTooLong(string path) =>
        throw new IOException($"'{path}' is too long: at most {Array.MaxLength} bytes fit into an array.");
}
