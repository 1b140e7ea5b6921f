using System.Buffers;
using System.Runtime.CompilerServices;
using System.Text;
using Sluice.Files;
using Sluice.Memory;
using Sluice.Sequential;

namespace Sluice;

// Whole files as one text.
public static partial class SluiceFile
{
#if DEBUG
    private const int MaxEncodedAtOnce = 512;
#else
    /// <summary>The longest text, in UTF-16 units, that is encoded into one array. Longer texts go through a writer.</summary>
    private const int MaxEncodedAtOnce = 32 * 1024;
#endif

    /// <inheritdoc cref="File.ReadAllText(string)"/>
    public static string ReadAllText(string path) => ReadAllText(path, Encoding.UTF8);

    /// <inheritdoc cref="File.ReadAllText(string, Encoding)"/>
    public static string ReadAllText(string path, Encoding encoding)
    {
        CheckText(path, encoding);
        using RentedContent content = WholeFile.Rent(WholeFile.Open(path, isAsync: false));
        return Decode(content, encoding);
    }

    /// <inheritdoc cref="File.ReadAllTextAsync(string, CancellationToken)"/>
    public static Task<string> ReadAllTextAsync(string path, CancellationToken cancellationToken = default) =>
        ReadAllTextAsync(path, Encoding.UTF8, cancellationToken);

    /// <inheritdoc cref="File.ReadAllTextAsync(string, Encoding, CancellationToken)"/>
    public static Task<string> ReadAllTextAsync(string path, Encoding encoding, CancellationToken cancellationToken = default)
    {
        CheckText(path, encoding);
        return cancellationToken.IsCancellationRequested ? Task.FromCanceled<string>(cancellationToken) : Read();

        async Task<string> Read()
        {
            using SluiceHandle handle = WholeFile.Open(path, isAsync: true);
            int length = WholeFile.KnownLength(handle);
            await InlineLimit.LeaveCallerIfAboveAsync(length);
            using RentedContent content = await WholeFile.ReadToEndAsync(handle, length, cancellationToken).ConfigureAwait(false);
            return Decode(content, encoding);
        }
    }

    /// <inheritdoc cref="File.WriteAllText(string, string)"/>
    public static void WriteAllText(string path, string? contents) =>
        WriteAllText(path, contents.AsSpan(), DefaultEncoding);

    /// <inheritdoc cref="File.WriteAllText(string, ReadOnlySpan{char})"/>
    public static void WriteAllText(string path, ReadOnlySpan<char> contents) =>
        WriteAllText(path, contents, DefaultEncoding);

    /// <inheritdoc cref="File.WriteAllText(string, string, Encoding)"/>
    public static void WriteAllText(string path, string? contents, Encoding encoding) =>
        WriteAllText(path, contents.AsSpan(), encoding);

    /// <inheritdoc cref="File.WriteAllText(string, ReadOnlySpan{char}, Encoding)"/>
    public static void WriteAllText(string path, ReadOnlySpan<char> contents, Encoding encoding) =>
        WriteText(path, contents, encoding, isAppending: false);

    /// <inheritdoc cref="File.WriteAllTextAsync(string, string, CancellationToken)"/>
    public static Task WriteAllTextAsync(string path, string? contents, CancellationToken cancellationToken = default) =>
        WriteTextAsync(path, contents.AsMemory(), DefaultEncoding, isAppending: false, cancellationToken);

    /// <inheritdoc cref="File.WriteAllTextAsync(string, ReadOnlyMemory{char}, CancellationToken)"/>
    public static Task WriteAllTextAsync(string path, ReadOnlyMemory<char> contents, CancellationToken cancellationToken = default) =>
        WriteTextAsync(path, contents, DefaultEncoding, isAppending: false, cancellationToken);

    /// <inheritdoc cref="File.WriteAllTextAsync(string, string, Encoding, CancellationToken)"/>
    public static Task WriteAllTextAsync(
        string path, string? contents, Encoding encoding, CancellationToken cancellationToken = default) =>
        WriteTextAsync(path, contents.AsMemory(), encoding, isAppending: false, cancellationToken);

    /// <inheritdoc cref="File.WriteAllTextAsync(string, ReadOnlyMemory{char}, Encoding, CancellationToken)"/>
    public static Task WriteAllTextAsync(
        string path, ReadOnlyMemory<char> contents, Encoding encoding, CancellationToken cancellationToken = default) =>
        WriteTextAsync(path, contents, encoding, isAppending: false, cancellationToken);

    /// <inheritdoc cref="File.AppendAllText(string, string)"/>
    public static void AppendAllText(string path, string? contents) =>
        AppendAllText(path, contents.AsSpan(), DefaultEncoding);

    /// <inheritdoc cref="File.AppendAllText(string, ReadOnlySpan{char})"/>
    public static void AppendAllText(string path, ReadOnlySpan<char> contents) =>
        AppendAllText(path, contents, DefaultEncoding);

    /// <inheritdoc cref="File.AppendAllText(string, string, Encoding)"/>
    public static void AppendAllText(string path, string? contents, Encoding encoding) =>
        AppendAllText(path, contents.AsSpan(), encoding);

    /// <inheritdoc cref="File.AppendAllText(string, ReadOnlySpan{char}, Encoding)"/>
    public static void AppendAllText(string path, ReadOnlySpan<char> contents, Encoding encoding) =>
        WriteText(path, contents, encoding, isAppending: true);

    /// <inheritdoc cref="File.AppendAllTextAsync(string, string, CancellationToken)"/>
    public static Task AppendAllTextAsync(string path, string? contents, CancellationToken cancellationToken = default) =>
        WriteTextAsync(path, contents.AsMemory(), DefaultEncoding, isAppending: true, cancellationToken);

    /// <inheritdoc cref="File.AppendAllTextAsync(string, ReadOnlyMemory{char}, CancellationToken)"/>
    public static Task AppendAllTextAsync(string path, ReadOnlyMemory<char> contents, CancellationToken cancellationToken = default) =>
        WriteTextAsync(path, contents, DefaultEncoding, isAppending: true, cancellationToken);

    /// <inheritdoc cref="File.AppendAllTextAsync(string, string, Encoding, CancellationToken)"/>
    public static Task AppendAllTextAsync(
        string path, string? contents, Encoding encoding, CancellationToken cancellationToken = default) =>
        WriteTextAsync(path, contents.AsMemory(), encoding, isAppending: true, cancellationToken);

    /// <inheritdoc cref="File.AppendAllTextAsync(string, ReadOnlyMemory{char}, Encoding, CancellationToken)"/>
    public static Task AppendAllTextAsync(
        string path, ReadOnlyMemory<char> contents, Encoding encoding, CancellationToken cancellationToken = default) =>
        WriteTextAsync(path, contents, encoding, isAppending: true, cancellationToken);

    private static string Decode(RentedContent content, Encoding asked)
    {
        Encoding encoding = TextStart.Detect(content.Span, asked, out int markBytes);
        if (!(encoding.IsSingleByte || encoding is UTF8Encoding or UnicodeEncoding or UTF32Encoding))
        {
            // File reads in parts: other decoders may lose a part of an incomplete character at the end if one call has all bytes.
            using StreamReader reader = new(new MemoryStream(content.Array, 0, content.Length, writable: false), asked);
            return reader.ReadToEnd();
        }

        if (content.Length < HugePages.FewestBytes)
        {
            return encoding.GetString(content.Span[markBytes..]);
        }

        return string.Create(encoding.GetCharCount(content.Span[markBytes..]), (content, encoding, markBytes), static (chars, from) =>
        {
            HugePages.Advise(chars);
            _ = from.encoding.GetChars(from.content.Span[from.markBytes..], chars);
        });
    }

    private static Task WriteTextAsync(
        string path, ReadOnlyMemory<char> contents, Encoding encoding, bool isAppending, CancellationToken cancellationToken)
    {
        CheckText(path, encoding);
        return cancellationToken.IsCancellationRequested ? Task.FromCanceled(cancellationToken) : Write();

        async Task Write()
        {
            using SluiceHandle handle = OpenToWrite(path, isAppending, isAsync: true);
            await InlineLimit.LeaveCallerIfAboveAsync(InlineLimit.MaxBytes(encoding, contents.Length));
            await WriteTextAsync(handle, contents, encoding, isAppending, cancellationToken).ConfigureAwait(false);
            handle.CloseUnshared();
        }
    }

    private static void WriteText(string path, ReadOnlySpan<char> contents, Encoding encoding, bool isAppending)
    {
        CheckText(path, encoding);
        using SluiceHandle handle = OpenToWrite(path, isAppending, isAsync: false);
        WriteText(handle, contents, encoding, isAppending);
        handle.CloseUnshared();
    }

    private static void WriteText(SluiceHandle handle, ReadOnlySpan<char> contents, Encoding encoding, bool isAppending)
    {
        if (contents.Length <= MaxEncodedAtOnce)
        {
            long offset = isAppending ? EndOf(handle) : 0;
            ArraySegment<byte> bytes = Encode(contents, encoding, offset);
            handle.Write(bytes, offset);
            ArrayPool<byte>.Shared.Return(bytes.Array!);
            return;
        }

        using SluiceWriter writer = BeginText(handle, encoding, isAppending);
        try
        {
            writer.Write(contents);
            writer.Complete();
        }
        catch (Exception e)
        {
            writer.Abandon(e);
            throw;
        }
    }

    private static async ValueTask WriteTextAsync(
        SluiceHandle handle, ReadOnlyMemory<char> contents, Encoding encoding, bool isAppending, CancellationToken cancellationToken)
    {
        if (contents.Length <= MaxEncodedAtOnce)
        {
            long offset = isAppending ? EndOf(handle) : 0;
            ArraySegment<byte> bytes = Encode(contents.Span, encoding, offset);
            await handle.WriteAsync(bytes, offset, cancellationToken).ConfigureAwait(false);
            ArrayPool<byte>.Shared.Return(bytes.Array!);
            return;
        }

        SluiceWriter writer = BeginText(handle, encoding, isAppending);
        await using ConfiguredAsyncDisposable _ = writer.ConfigureAwait(false);
        try
        {
            await writer.WriteAsync(contents, cancellationToken).ConfigureAwait(false);
            await writer.CompleteAsync(cancellationToken).ConfigureAwait(false);
        }
        catch (Exception e)
        {
            writer.Abandon(e);
            throw;
        }
    }

    /// <summary>Encodes a short text into a rented array, behind the preamble of the encoding if the text begins the file.</summary>
    private static ArraySegment<byte> Encode(ReadOnlySpan<char> contents, Encoding encoding, long offset)
    {
        ReadOnlySpan<byte> preamble = offset == 0 ? encoding.Preamble : [];
        byte[] bytes = ArrayPool<byte>.Shared.Rent(preamble.Length + encoding.GetMaxByteCount(contents.Length));
        preamble.CopyTo(bytes);
        return new ArraySegment<byte>(bytes, 0, preamble.Length + encoding.GetBytes(contents, bytes.AsSpan(preamble.Length)));
    }

    /// <summary>A writer that leaves the file open. The preamble of the encoding is written at offset 0 only.</summary>
    private static SluiceWriter BeginText(SluiceHandle handle, Encoding encoding, bool isAppending) => new(
        handle, new SluiceWriterOptions { Encoding = encoding, Offset = isAppending ? EndOf(handle) : 0 }, ownsHandle: false);
}
