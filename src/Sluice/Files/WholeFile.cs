using System.Diagnostics.CodeAnalysis;

namespace Sluice.Files;

/// <summary>Reads a file to its end, into an array of its size or a rented one.</summary>
internal static class WholeFile
{
    /// <summary>What a file without a length is first read into, in bytes.</summary>
    private const int FirstGuessBytes = 4096;

    public static SluiceHandle Open(string path, bool isAsync) => SluiceHandle.Open(
        path, FileMode.Open, FileAccess.Read, FileShare.Read,
        FileOptions.SequentialScan | (isAsync ? FileOptions.Asynchronous : FileOptions.None));

    public static async Task<byte[]> ReadAsync(SluiceHandle handle, CancellationToken cancellationToken)
    {
        using SluiceHandle _ = handle;
        long length = KnownLength(handle);
        if (length == 0)
        {
            using RentedContent content = await ReadUnknownAsync(handle, cancellationToken).ConfigureAwait(false);
            return content.Span.ToArray();
        }

        byte[] bytes = GC.AllocateUninitializedArray<byte>((int)length);
        await FillAsync(handle, bytes, cancellationToken).ConfigureAwait(false);
        return bytes;
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
