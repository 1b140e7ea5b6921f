using System.Buffers;
using System.Diagnostics.CodeAnalysis;
using System.Runtime.CompilerServices;
using System.Runtime.ExceptionServices;
using System.Runtime.Versioning;
using System.Text;
using Microsoft.Win32.SafeHandles;
using Sluice.Copying;
using Sluice.Enumeration;
using Sluice.Errors;
using Sluice.Files;
using Sluice.Kernel;
using Sluice.Memory;
using Sluice.Sequential;

namespace Sluice;

/// <summary>
/// Provides all static methods of <see cref="File"/>, and additional methods for batches of small files, atomic replacement, copying and
/// fast enumeration.
/// </summary>
/// <remarks>
/// <para>The methods of <see cref="File"/> have the same behavior, exceptions and encodings here, so that a program can declare <c>using
/// File = Sluice.SluiceFile;</c>. Methods that open a file return a <see cref="SluiceStream"/> instead of a <see cref="FileStream"/>, or a
/// <see cref="SluiceHandle"/> instead of a <see cref="Microsoft.Win32.SafeHandles.SafeFileHandle"/>.</para>
/// <para>Asynchronous methods that read, write or append a whole file open the file on the calling thread, but for text that may take more
/// than 1 MiB. They may also copy up to 1 MiB to or from the page cache on that thread.</para>
/// <para>All members are thread-safe.</para>
/// </remarks>
public static class SluiceFile
{
    /// <summary>The maximum number of groups of a batch that are in progress (0010).</summary>
    private const int MaxGroups = 1024;

#if DEBUG
    private const int MinReservedChars = 256;
    private const int MaxEncodedAtOnce = 512;
#else
    /// <summary>The minimum length, in UTF-16 code units, of a text whose space is reserved before it is written.</summary>
    private const int MinReservedChars = 8 * 1024;

    /// <summary>
    /// The maximum length, in UTF-16 code units, of a text that is encoded into one array. Longer texts go through a writer.
    /// </summary>
    private const int MaxEncodedAtOnce = 32 * 1024;
#endif

    /// <summary>The default encoding of .NET for text: without a byte order mark, and with an exception for invalid characters.</summary>
    private static readonly UTF8Encoding DefaultEncoding = new(encoderShouldEmitUTF8Identifier: false, throwOnInvalidBytes: true);

    /// <summary>The default options of <see cref="Directory"/>.</summary>
    private static readonly EnumerationOptions CompatibleOptions = new()
    {
        MatchType = MatchType.Win32,
        AttributesToSkip = 0,
        IgnoreInaccessible = false,
    };

    /// <summary>Opens a file and returns a handle for it.</summary>
    /// <param name="path">The path of the file.</param>
    /// <param name="mode">
    /// A value that specifies whether the file is opened, created or overwritten. The default is <see cref="FileMode.Open"/>.
    /// </param>
    /// <param name="access">
    /// The operations that can be performed on the file. The default is <see cref="FileAccess.Read"/>.
    /// </param>
    /// <param name="share">
    /// A value that specifies how other code may open the file while it is open. The default is <see cref="FileShare.Read"/>.
    /// </param>
    /// <param name="options">Additional options. The default is <see cref="FileOptions.None"/>.</param>
    /// <param name="preallocationSize">
    /// The number of bytes of disk space to reserve when the file is created or overwritten. The default is 0, which reserves
    /// none.
    /// </param>
    /// <returns>A handle for the file.</returns>
    /// <inheritdoc cref="File.OpenHandle" path="/exception"/>
    public static SluiceHandle OpenHandle(
        string path,
        FileMode mode = FileMode.Open,
        FileAccess access = FileAccess.Read,
        FileShare share = FileShare.Read,
        FileOptions options = FileOptions.None,
        long preallocationSize = 0) =>
        SluiceHandle.Open(path, mode, access, share, options, preallocationSize);

    /// <summary>
    /// Opens the null device: <c>/dev/null</c> on Unix, <c>NUL</c> on Windows. Data that is written to it is discarded, and a read returns
    /// no data. This method behaves like <c>File.OpenNullHandle</c> of .NET 11.
    /// </summary>
    /// <returns>A handle that is open for reading and writing.</returns>
    /// <exception cref="IOException">The operating system reported an error.</exception>
    public static SluiceHandle OpenNullHandle() => SluiceHandle.Open(
        OperatingSystem.IsWindows() ? "NUL" : "/dev/null", FileMode.Open, FileAccess.ReadWrite, FileShare.ReadWrite);

    /// <summary>
    /// Creates or overwrites a file and opens it for reading and writing with <see cref="FileShare.None"/>. The stream adapts the size of
    /// its buffer.
    /// </summary>
    /// <param name="path">The path of the file.</param>
    /// <returns>A stream over the file.</returns>
    /// <inheritdoc cref="File.Create(string)" path="/exception"/>
    public static SluiceStream Create(string path) => new(path, FileMode.Create, FileAccess.ReadWrite, FileShare.None);

    /// <summary>
    /// Creates or overwrites a file, with the specified buffer size, and opens it for reading and writing with
    /// <see cref="FileShare.None"/>.
    /// </summary>
    /// <param name="path">The path of the file.</param>
    /// <param name="bufferSize">The size of the stream's buffer, in bytes. 0 or 1 disables buffering.</param>
    /// <returns>A stream over the file.</returns>
    /// <inheritdoc cref="File.Create(string, int)" path="/exception"/>
    public static SluiceStream Create(string path, int bufferSize) => Create(path, bufferSize, FileOptions.None);

    /// <summary>
    /// Creates or overwrites a file, with the specified buffer size and options, and opens it for reading and writing with
    /// <see cref="FileShare.None"/>.
    /// </summary>
    /// <param name="path">The path of the file.</param>
    /// <param name="bufferSize">The size of the stream's buffer, in bytes. 0 or 1 disables buffering.</param>
    /// <param name="options">Additional options for the file.</param>
    /// <returns>A stream over the file.</returns>
    /// <inheritdoc cref="File.Create(string, int, FileOptions)" path="/exception"/>
    public static SluiceStream Create(string path, int bufferSize, FileOptions options) =>
        new(path, FileMode.Create, FileAccess.ReadWrite, FileShare.None, bufferSize, options);

    /// <summary>
    /// Opens a file with <see cref="FileShare.None"/>, for reading and writing, or only for writing with
    /// <see cref="FileMode.Append"/>.
    /// </summary>
    /// <param name="path">The path of the file.</param>
    /// <param name="mode">A value that specifies whether the file is opened, created or overwritten.</param>
    /// <returns>A stream over the file.</returns>
    /// <inheritdoc cref="File.Open(string, FileMode)" path="/exception"/>
    public static SluiceStream Open(string path, FileMode mode) =>
        Open(path, mode, mode == FileMode.Append ? FileAccess.Write : FileAccess.ReadWrite, FileShare.None);

    /// <summary>Opens a file with the specified mode and access, and with <see cref="FileShare.None"/>.</summary>
    /// <param name="path">The path of the file.</param>
    /// <param name="mode">A value that specifies whether the file is opened, created or overwritten.</param>
    /// <param name="access">The operations that can be performed on the file.</param>
    /// <returns>A stream over the file.</returns>
    /// <inheritdoc cref="File.Open(string, FileMode, FileAccess)" path="/exception"/>
    public static SluiceStream Open(string path, FileMode mode, FileAccess access) => Open(path, mode, access, FileShare.None);

    /// <summary>Opens a file with the specified mode, access and sharing.</summary>
    /// <param name="path">The path of the file.</param>
    /// <param name="mode">A value that specifies whether the file is opened, created or overwritten.</param>
    /// <param name="access">The operations that can be performed on the file.</param>
    /// <param name="share">A value that specifies how other code may open the file while it is open.</param>
    /// <returns>A stream over the file.</returns>
    /// <inheritdoc cref="File.Open(string, FileMode, FileAccess, FileShare)" path="/exception"/>
    public static SluiceStream Open(string path, FileMode mode, FileAccess access, FileShare share) => new(path, mode, access, share);

    /// <summary>Opens a file with the options of <see cref="FileStream"/>.</summary>
    /// <param name="path">The path of the file.</param>
    /// <param name="options">The options for the file.</param>
    /// <returns>A stream over the file.</returns>
    /// <inheritdoc cref="File.Open(string, FileStreamOptions)" path="/exception"/>
    public static SluiceStream Open(string path, FileStreamOptions options) => new(path, options);

    /// <summary>Opens a file with the specified options, which include the caching mode.</summary>
    /// <param name="path">The path of the file.</param>
    /// <param name="options">The options for the file.</param>
    /// <returns>A stream over the file.</returns>
    /// <inheritdoc cref="File.Open(string, FileStreamOptions)" path="/exception"/>
    public static SluiceStream Open(string path, SluiceOptions options) => new(path, options);

    /// <summary>Opens an existing file for reading, with <see cref="FileShare.Read"/>.</summary>
    /// <param name="path">The path of the file.</param>
    /// <returns>A stream over the file.</returns>
    /// <inheritdoc cref="File.OpenRead(string)" path="/exception"/>
    public static SluiceStream OpenRead(string path) => new(path, FileMode.Open, FileAccess.Read, FileShare.Read);

    /// <summary>
    /// Opens a file for writing, with <see cref="FileShare.None"/>. The file is created if it does not exist; an existing file
    /// keeps its content until it is overwritten.
    /// </summary>
    /// <param name="path">The path of the file.</param>
    /// <returns>A stream over the file, positioned at its start.</returns>
    /// <inheritdoc cref="File.OpenWrite(string)" path="/exception"/>
    public static SluiceStream OpenWrite(string path) => new(path, FileMode.OpenOrCreate, FileAccess.Write, FileShare.None);

    /// <summary>
    /// Opens an existing file for reading text. The encoding is detected from the byte order mark at the start of the file; without a mark,
    /// it is UTF-8.
    /// </summary>
    /// <param name="path">The path of the file.</param>
    /// <returns>A reader over the file.</returns>
    /// <inheritdoc cref="File.OpenText(string)" path="/exception"/>
    public static StreamReader OpenText(string path) => new(OpenRead(path), Encoding.UTF8, detectEncodingFromByteOrderMarks: true);

    /// <summary>Creates or overwrites a file for writing UTF-8 text without a byte order mark.</summary>
    /// <param name="path">The path of the file.</param>
    /// <returns>A writer over the file.</returns>
    /// <inheritdoc cref="File.CreateText(string)" path="/exception"/>
    public static StreamWriter CreateText(string path) =>
        new(new SluiceStream(path, FileMode.Create, FileAccess.Write, FileShare.Read), DefaultEncoding);

    /// <summary>
    /// Opens a file for appending UTF-8 text without a byte order mark. The file is created if it does not exist.
    /// </summary>
    /// <param name="path">The path of the file.</param>
    /// <returns>A writer over the file, positioned at its end.</returns>
    /// <inheritdoc cref="File.AppendText(string)" path="/exception"/>
    public static StreamWriter AppendText(string path) =>
        new(new SluiceStream(path, FileMode.Append, FileAccess.Write, FileShare.Read), DefaultEncoding);

    private static void CheckText(string path, Encoding encoding)
    {
        ArgumentException.ThrowIfNullOrEmpty(path);
        ArgumentNullException.ThrowIfNull(encoding);
    }

    /// <inheritdoc cref="File.ReadAllBytes(string)"/>
    public static byte[] ReadAllBytes(string path) => WholeFile.Read(path);

    /// <inheritdoc cref="File.ReadAllBytesAsync(string, CancellationToken)"/>
    public static Task<byte[]> ReadAllBytesAsync(string path, CancellationToken cancellationToken = default) =>
        cancellationToken.IsCancellationRequested
            ? Task.FromCanceled<byte[]>(cancellationToken)
            : WholeFile.ReadAsync(WholeFile.Open(path, isAsync: true), cancellationToken);

    /// <inheritdoc cref="File.WriteAllBytes(string, byte[])"/>
    public static void WriteAllBytes(string path, byte[] bytes)
    {
        ArgumentNullException.ThrowIfNull(bytes);
        Write(path, bytes, isAppending: false);
    }

    /// <inheritdoc cref="File.WriteAllBytes(string, ReadOnlySpan{byte})"/>
    public static void WriteAllBytes(string path, ReadOnlySpan<byte> bytes) =>
        Write(path, bytes, isAppending: false);

    /// <inheritdoc cref="File.WriteAllBytesAsync(string, byte[], CancellationToken)"/>
    public static Task WriteAllBytesAsync(string path, byte[] bytes, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(bytes);
        return WriteAllBytesAsync(path, (ReadOnlyMemory<byte>)bytes, cancellationToken);
    }

    /// <inheritdoc cref="File.WriteAllBytesAsync(string, ReadOnlyMemory{byte}, CancellationToken)"/>
    public static Task WriteAllBytesAsync(string path, ReadOnlyMemory<byte> bytes, CancellationToken cancellationToken = default)
    {
        ArgumentException.ThrowIfNullOrEmpty(path);
        return cancellationToken.IsCancellationRequested
            ? Task.FromCanceled(cancellationToken)
            : WriteAsync(path, bytes, isAppending: false, cancellationToken);
    }

    /// <inheritdoc cref="File.AppendAllBytes(string, byte[])"/>
    public static void AppendAllBytes(string path, byte[] bytes)
    {
        ArgumentNullException.ThrowIfNull(bytes);
        Write(path, bytes, isAppending: true);
    }

    /// <inheritdoc cref="File.AppendAllBytes(string, ReadOnlySpan{byte})"/>
    public static void AppendAllBytes(string path, ReadOnlySpan<byte> bytes) =>
        Write(path, bytes, isAppending: true);

    /// <inheritdoc cref="File.AppendAllBytesAsync(string, byte[], CancellationToken)"/>
    public static Task AppendAllBytesAsync(string path, byte[] bytes, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(bytes);
        return AppendAllBytesAsync(path, (ReadOnlyMemory<byte>)bytes, cancellationToken);
    }

    /// <inheritdoc cref="File.AppendAllBytesAsync(string, ReadOnlyMemory{byte}, CancellationToken)"/>
    public static Task AppendAllBytesAsync(string path, ReadOnlyMemory<byte> bytes, CancellationToken cancellationToken = default)
    {
        ArgumentException.ThrowIfNullOrEmpty(path);
        return cancellationToken.IsCancellationRequested
            ? Task.FromCanceled(cancellationToken)
            : WriteAsync(path, bytes, isAppending: true, cancellationToken);
    }

    /// <summary>Writes bytes like <see cref="File"/>, but throws the error of close(2), which <see cref="File"/> ignores.</summary>
    private static void Write(string path, ReadOnlySpan<byte> bytes, bool isAppending)
    {
        using SluiceHandle handle = OpenToWrite(path, isAppending, isAsync: false);
        handle.Write(bytes, isAppending ? EndOf(handle) : 0);
        handle.CloseUnshared();
    }

    private static async Task WriteAsync(string path, ReadOnlyMemory<byte> bytes, bool isAppending, CancellationToken cancellationToken)
    {
        using SluiceHandle handle = OpenToWrite(path, isAppending, isAsync: true);
        await handle.WriteAsync(bytes, isAppending ? EndOf(handle) : 0, cancellationToken).ConfigureAwait(false);
        handle.CloseUnshared();
    }

    private static SluiceHandle OpenToWrite(string path, bool isAppending, bool isAsync, long preallocationSize = 0) => SluiceHandle.Open(
        path, isAppending ? FileMode.Append : FileMode.Create, FileAccess.Write, FileShare.Read,
        isAsync ? FileOptions.Asynchronous : FileOptions.None, preallocationSize);

    /// <summary>
    /// Returns the space to reserve for a text, as in .NET: 0 for an appended or a short one. Without a reservation, closing a file that
    /// was truncated starts to write it to the disk on ext4. Throws for text that the encoding refuses, before the file is truncated.
    /// </summary>
    private static long SpaceFor(ReadOnlySpan<char> contents, Encoding encoding, bool isAppending) =>
        isAppending || contents.Length < MinReservedChars ? 0 : encoding.Preamble.Length + encoding.GetByteCount(contents);

    private static long EndOf(SluiceHandle handle) => handle.CanSeek ? handle.Length : 0;

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
            await InlineLimit.SwitchThreadIfAboveAsync(length);
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
            await InlineLimit.SwitchThreadIfAboveAsync(InlineLimit.BytesPerChar * contents.Length);
            using SluiceHandle handle = OpenToWrite(path, isAppending, isAsync: true, SpaceFor(contents.Span, encoding, isAppending));
            await WriteTextAsync(handle, contents, encoding, isAppending, cancellationToken).ConfigureAwait(false);
            handle.CloseUnshared();
        }
    }

    private static void WriteText(string path, ReadOnlySpan<char> contents, Encoding encoding, bool isAppending)
    {
        CheckText(path, encoding);
        using SluiceHandle handle = OpenToWrite(path, isAppending, isAsync: false, SpaceFor(contents, encoding, isAppending));
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

    /// <summary>Encodes a short text into a rented array, after the preamble of the encoding if <paramref name="offset"/> is 0.</summary>
    private static ArraySegment<byte> Encode(ReadOnlySpan<char> contents, Encoding encoding, long offset)
    {
        ReadOnlySpan<byte> preamble = offset == 0 ? encoding.Preamble : [];
        byte[] bytes = ArrayPool<byte>.Shared.Rent(preamble.Length + encoding.GetMaxByteCount(contents.Length));
        preamble.CopyTo(bytes);
        return new ArraySegment<byte>(bytes, 0, preamble.Length + encoding.GetBytes(contents, bytes.AsSpan(preamble.Length)));
    }

    /// <summary>Creates a writer that leaves the handle open. The preamble of the encoding is written only at offset 0.</summary>
    private static SluiceWriter BeginText(SluiceHandle handle, Encoding encoding, bool isAppending) => new(
        handle, new SluiceWriterOptions { Encoding = encoding, Offset = isAppending ? EndOf(handle) : 0 }, ownsHandle: false);

    /// <inheritdoc cref="File.ReadLines(string)"/>
    public static IEnumerable<string> ReadLines(string path) => File.ReadLines(path);

    /// <inheritdoc cref="File.ReadLines(string, Encoding)"/>
    public static IEnumerable<string> ReadLines(string path, Encoding encoding) => File.ReadLines(path, encoding);

    /// <inheritdoc cref="File.ReadLinesAsync(string, CancellationToken)"/>
    public static IAsyncEnumerable<string> ReadLinesAsync(string path, CancellationToken cancellationToken = default) =>
        ReadLinesAsync(path, Encoding.UTF8, cancellationToken);

    /// <inheritdoc cref="File.ReadLinesAsync(string, Encoding, CancellationToken)"/>
    public static IAsyncEnumerable<string> ReadLinesAsync(
        string path, Encoding encoding, CancellationToken cancellationToken = default)
    {
        CheckText(path, encoding);

        // The file is opened here, so that the call itself reports an error.
        return EnumerateLinesAsync(OpenToReadLines(path), path, encoding, cancellationToken);
    }

    /// <inheritdoc cref="File.ReadAllLines(string)"/>
    public static string[] ReadAllLines(string path) => ReadAllLines(path, Encoding.UTF8);

    /// <inheritdoc cref="File.ReadAllLines(string, Encoding)"/>
    public static string[] ReadAllLines(string path, Encoding encoding)
    {
        CheckText(path, encoding);
        using SluiceReader reader = OpenToReadLines(path);
        return [.. reader.ReadStringLines(encoding)];
    }

    /// <inheritdoc cref="File.ReadAllLinesAsync(string, CancellationToken)"/>
    public static Task<string[]> ReadAllLinesAsync(string path, CancellationToken cancellationToken = default) =>
        ReadAllLinesAsync(path, Encoding.UTF8, cancellationToken);

    /// <inheritdoc cref="File.ReadAllLinesAsync(string, Encoding, CancellationToken)"/>
    public static Task<string[]> ReadAllLinesAsync(string path, Encoding encoding, CancellationToken cancellationToken = default)
    {
        CheckText(path, encoding);
        return cancellationToken.IsCancellationRequested ? Task.FromCanceled<string[]>(cancellationToken) : Read();

        async Task<string[]> Read()
        {
            List<string> lines = [];
            using SluiceReader reader = OpenToReadLines(path);
            await InlineLimit.SwitchThreadIfAboveAsync(EndOf(reader.SluiceHandle));
            using LineDecoder decoder = new(path, encoding);
            while (await reader.DecodeLinesAsync(decoder, cancellationToken).ConfigureAwait(false))
            {
                while (decoder.TryTake(out string? line))
                {
                    lines.Add(line);
                }
            }

            return [.. lines];
        }
    }

    /// <inheritdoc cref="File.WriteAllLines(string, string[])"/>
    public static void WriteAllLines(string path, string[] contents) =>
        WriteLines(path, contents, DefaultEncoding, isAppending: false);

    /// <inheritdoc cref="File.WriteAllLines(string, IEnumerable{string})"/>
    public static void WriteAllLines(string path, IEnumerable<string> contents) =>
        WriteLines(path, contents, DefaultEncoding, isAppending: false);

    /// <inheritdoc cref="File.WriteAllLines(string, string[], Encoding)"/>
    public static void WriteAllLines(string path, string[] contents, Encoding encoding) =>
        WriteLines(path, contents, encoding, isAppending: false);

    /// <inheritdoc cref="File.WriteAllLines(string, IEnumerable{string}, Encoding)"/>
    public static void WriteAllLines(string path, IEnumerable<string> contents, Encoding encoding) =>
        WriteLines(path, contents, encoding, isAppending: false);

    /// <inheritdoc cref="File.WriteAllLinesAsync(string, IEnumerable{string}, CancellationToken)"/>
    public static Task WriteAllLinesAsync(string path, IEnumerable<string> contents, CancellationToken cancellationToken = default) =>
        WriteLinesAsync(path, contents, DefaultEncoding, isAppending: false, cancellationToken);

    /// <inheritdoc cref="File.WriteAllLinesAsync(string, IEnumerable{string}, Encoding, CancellationToken)"/>
    public static Task WriteAllLinesAsync(
        string path, IEnumerable<string> contents, Encoding encoding, CancellationToken cancellationToken = default) =>
        WriteLinesAsync(path, contents, encoding, isAppending: false, cancellationToken);

    /// <inheritdoc cref="File.AppendAllLines(string, IEnumerable{string})"/>
    public static void AppendAllLines(string path, IEnumerable<string> contents) =>
        WriteLines(path, contents, DefaultEncoding, isAppending: true);

    /// <inheritdoc cref="File.AppendAllLines(string, IEnumerable{string}, Encoding)"/>
    public static void AppendAllLines(string path, IEnumerable<string> contents, Encoding encoding) =>
        WriteLines(path, contents, encoding, isAppending: true);

    /// <inheritdoc cref="File.AppendAllLinesAsync(string, IEnumerable{string}, CancellationToken)"/>
    public static Task AppendAllLinesAsync(string path, IEnumerable<string> contents, CancellationToken cancellationToken = default) =>
        WriteLinesAsync(path, contents, DefaultEncoding, isAppending: true, cancellationToken);

    /// <inheritdoc cref="File.AppendAllLinesAsync(string, IEnumerable{string}, Encoding, CancellationToken)"/>
    public static Task AppendAllLinesAsync(
        string path, IEnumerable<string> contents, Encoding encoding, CancellationToken cancellationToken = default) =>
        WriteLinesAsync(path, contents, encoding, isAppending: true, cancellationToken);

    private static Task WriteLinesAsync(
        string path, IEnumerable<string> contents, Encoding encoding, bool isAppending, CancellationToken cancellationToken)
    {
        CheckText(path, encoding);
        ArgumentNullException.ThrowIfNull(contents);
        return cancellationToken.IsCancellationRequested ? Task.FromCanceled(cancellationToken) : Write();

        async Task Write()
        {
            using SluiceHandle handle = OpenToWrite(path, isAppending, isAsync: true);
            await WriteLinesAsync(handle, contents, encoding, isAppending, cancellationToken).ConfigureAwait(false);
            handle.CloseUnshared();
        }
    }

    private static async Task WriteLinesAsync(
        SluiceHandle handle, IEnumerable<string> contents, Encoding encoding, bool isAppending, CancellationToken cancellationToken)
    {
        SluiceWriter writer = BeginText(handle, encoding, isAppending);

        // File also writes the lines before an exception of the enumeration, or before a cancellation.
        await using ConfiguredAsyncDisposable _ = writer.ConfigureAwait(false);
        try
        {
            long inline = 0;
            foreach (string line in contents)
            {
                cancellationToken.ThrowIfCancellationRequested();
                if (inline <= InlineLimit.Bytes)
                {
                    inline += InlineLimit.BytesPerChar * ((line?.Length ?? 0) + Environment.NewLine.Length);
                    await InlineLimit.SwitchThreadIfAboveAsync(inline);
                }

                await writer.WriteLineAsync(line, cancellationToken).ConfigureAwait(false);
            }

            // File writes the preamble even if there are no lines.
            await writer.WriteAsync("", cancellationToken).ConfigureAwait(false);
            await writer.CompleteAsync(cancellationToken).ConfigureAwait(false);
        }
        catch (OperationCanceledException e) when (!handle.CanSeek)
        {
            // The rest is discarded, because the other end of a pipe may never read it.
            writer.Abandon(e);
            throw;
        }
    }

    private static void WriteLines(string path, IEnumerable<string> contents, Encoding encoding, bool isAppending)
    {
        CheckText(path, encoding);
        ArgumentNullException.ThrowIfNull(contents);
        using SluiceHandle handle = OpenToWrite(path, isAppending, isAsync: false);
        using (SluiceWriter writer = BeginText(handle, encoding, isAppending))
        {
            writer.Write("");
            foreach (string line in contents)
            {
                writer.WriteLine(line);
            }
        }

        handle.CloseUnshared();
    }

    private static SluiceReader OpenToReadLines(string path) => new(WholeFile.Open(path, isAsync: true));

    private static async IAsyncEnumerable<string> EnumerateLinesAsync(
        SluiceReader opened, string path, Encoding encoding, [EnumeratorCancellation] CancellationToken cancellationToken)
    {
        // The first enumeration uses this reader. As in .NET, a further enumeration opens the file again.
        using SluiceReader reader = opened.IsDisposed ? OpenToReadLines(path) : opened;
        using LineDecoder decoder = new(path, encoding);
        while (await reader.DecodeLinesAsync(decoder, cancellationToken).ConfigureAwait(false))
        {
            while (decoder.TryTake(out string? line))
            {
                cancellationToken.ThrowIfCancellationRequested();
                yield return line;
            }
        }
    }

    /// <summary>Asynchronously reads many small files and returns their contents in the order of their paths.</summary>
    /// <param name="paths">
    /// The paths of the files. The sequence is enumerated in advance, before the results of earlier paths are returned.
    /// </param>
    /// <param name="options">The options, or <see langword="null"/> for the defaults.</param>
    /// <param name="cancellationToken">The token to monitor for cancellation requests. It is checked between files.</param>
    /// <returns>One result for each path.</returns>
    /// <exception cref="ArgumentNullException"><paramref name="paths"/> is <see langword="null"/>.</exception>
    /// <exception cref="OperationCanceledException">
    /// <paramref name="cancellationToken"/> was canceled. The exception is thrown by the enumeration.
    /// </exception>
    /// <remarks>
    /// <para>The files are read ahead in groups of 32. The number of groups that are read ahead is at most twice
    /// <see cref="FileBatchOptions.MaxDegreeOfParallelism"/>. A file larger than 256 KiB is not read ahead, but when its result is
    /// requested. This limits the memory for results that are read ahead to 16 MiB times
    /// <see cref="FileBatchOptions.MaxDegreeOfParallelism"/>.</para>
    /// <para>If a file cannot be read, the enumeration throws the same exception as <see cref="File.ReadAllBytes"/> and ends. With
    /// <see cref="FileBatchOptions.ContinueOnError"/>, the enumeration continues, and the exception is stored in the
    /// <see cref="FileReadResult.Error"/> of that file's result.</para>
    /// <para>If the enumeration of <paramref name="paths"/> throws an exception, the results of the preceding paths are returned
    /// first.</para>
    /// <para>On Linux, reading a FIFO, a socket or a device fails, because a batch never waits for another process.</para>
    /// </remarks>
    public static IAsyncEnumerable<FileReadResult> ReadManyAsync(
        IEnumerable<string> paths, FileBatchOptions? options = null, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(paths);
        return ReadGroupsAsync(paths, options ?? new FileBatchOptions(), cancellationToken);
    }

    /// <summary>Asynchronously creates or overwrites many small files.</summary>
    /// <param name="files">
    /// The paths and the contents of the files. The sequence is enumerated 32 files at a time, before they are written. The contents must
    /// not be changed until the task has completed.
    /// </param>
    /// <param name="options">The options, or <see langword="null"/> for the defaults.</param>
    /// <param name="cancellationToken">The token to monitor for cancellation requests. It is checked between files.</param>
    /// <returns>A task that completes when all files have been written.</returns>
    /// <exception cref="ArgumentNullException"><paramref name="files"/> is <see langword="null"/>.</exception>
    /// <exception cref="FileBatchException">
    /// One or more files could not be written. The exception contains the failures and the number of files that were written. It takes
    /// precedence over an exception of <paramref name="files"/> and over a cancellation.
    /// </exception>
    /// <exception cref="OperationCanceledException">
    /// <paramref name="cancellationToken"/> was canceled. Some files may have been written.
    /// </exception>
    /// <remarks>
    /// <para>Each file is written in the same way as by <see cref="File.WriteAllBytes(string, byte[])"/>. If a path occurs twice, the later
    /// content is written last; different links to one file are not recognized. If the enumeration of <paramref name="files"/> throws an
    /// exception, the preceding files are written first.</para>
    /// <para>On Linux, writing to a FIFO, a socket or a device fails, because a batch never waits for another process.</para>
    /// </remarks>
    public static Task WriteManyAsync(
        IEnumerable<(string Path, ReadOnlyMemory<byte> Bytes)> files,
        FileBatchOptions? options = null,
        CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(files);
        return cancellationToken.IsCancellationRequested
            ? Task.FromCanceled(cancellationToken)
            : WriteGroupsAsync(files, options ?? new FileBatchOptions(), cancellationToken);
    }

    private static async IAsyncEnumerable<FileReadResult> ReadGroupsAsync(
        IEnumerable<string> paths, FileBatchOptions options, [EnumeratorCancellation] CancellationToken cancellationToken)
    {
        cancellationToken.ThrowIfCancellationRequested();
        using GroupedSequence<string> groups = new(paths, SmallFileReader.MaxFiles);
        int degree = Math.Min(options.MaxDegreeOfParallelism, MaxGroups);
        ParallelSteps<SmallFile[]> steps = new(degree, 2 * degree);
        try
        {
            while (true)
            {
                while (steps.HasRoom && groups.Next() is { } group)
                {
                    steps.Begin(() => SmallFileReader.Read(group));
                }

                if (steps.IsEmpty)
                {
                    break;
                }

                SmallFile[] files = await steps.TakeFirstAsync().ConfigureAwait(false);
                for (int i = 0; i < files.Length; i++)
                {
                    cancellationToken.ThrowIfCancellationRequested();
                    FileReadResult result = files[i].State == SmallFileState.Large
                        ? await ReadAloneAsync(files[i].Path, cancellationToken).ConfigureAwait(false)
                        : new FileReadResult(files[i].Path, files[i].Content, files[i].Error);
                    files[i] = default;
                    if (result.Error is not null && !options.ContinueOnError)
                    {
                        ExceptionDispatchInfo.Throw(result.Error);
                    }

                    yield return result;
                }
            }

            groups.ThrowIfFailed();
        }
        finally
        {
            await steps.EndAsync().ConfigureAwait(false);
        }
    }

    private static async ValueTask<FileReadResult> ReadAloneAsync(string path, CancellationToken cancellationToken)
    {
        try
        {
            Task<byte[]> read =
                Libc.IsSupported ? SingleFile.ReadAsync(path, cancellationToken) : ReadAllBytesAsync(path, cancellationToken);
            return new FileReadResult(path, await read.ConfigureAwait(false), null);
        }
#pragma warning disable CA1031 // The result of this file contains it.
        catch (Exception e) when (!cancellationToken.IsCancellationRequested)
        {
            return new FileReadResult(path, null, e);
        }
#pragma warning restore CA1031
    }

    private static async Task WriteGroupsAsync(
        IEnumerable<(string Path, ReadOnlyMemory<byte> Bytes)> files, FileBatchOptions options, CancellationToken cancellationToken)
    {
        FileBatchWriter writer = new(
            options.ContinueOnError, OperatingSystem.IsWindows() ? null : options.UnixCreateMode, cancellationToken);
        using GroupedSequence<(string Path, ReadOnlyMemory<byte> Bytes)> groups = new(files, SmallFileReader.MaxFiles);
        HashSet<string> underWay = new(StringComparer.Ordinal);
        string folder = Directory.Exists(".") ? Environment.CurrentDirectory : "/";
        int degree = Math.Min(options.MaxDegreeOfParallelism, MaxGroups);
        ParallelSteps<string[]> steps = new(degree, 2 * degree);
        try
        {
            while (!writer.IsOver && groups.Next() is { } group)
            {
                // If a path occurs twice, the later write waits for the earlier one, so that their bytes are not mixed.
                string[] paths = Array.ConvertAll(group, file => ToComparablePath(file.Path, folder));
                bool isAgain = Array.Exists(paths, underWay.Contains);
                while (!steps.HasRoom || (isAgain && !steps.IsEmpty))
                {
                    underWay.ExceptWith(await steps.TakeFirstAsync().ConfigureAwait(false));
                }

                underWay.UnionWith(paths);
                steps.Begin(() =>
                {
                    writer.Write(group);
                    return paths;
                });
            }

            while (!steps.IsEmpty)
            {
                _ = await steps.TakeFirstAsync().ConfigureAwait(false);
            }
        }
        finally
        {
            await steps.EndAsync().ConfigureAwait(false);
        }

        writer.ThrowIfFailed();
        cancellationToken.ThrowIfCancellationRequested();
        groups.ThrowIfFailed();
    }

    /// <summary>Returns the full path, or an empty string for an invalid path, which cannot be written.</summary>
    private static string ToComparablePath(string? path, string folder) =>
        string.IsNullOrEmpty(path) || path.Contains('\0') ? "" : Path.GetFullPath(path, folder);

    /// <inheritdoc cref="File.Copy(string, string)"/>
    public static void Copy(string sourceFileName, string destFileName) => File.Copy(sourceFileName, destFileName);

    /// <inheritdoc cref="File.Copy(string, string, bool)"/>
    public static void Copy(string sourceFileName, string destFileName, bool overwrite) =>
        File.Copy(sourceFileName, destFileName, overwrite);

    /// <inheritdoc cref="File.Move(string, string)"/>
    public static void Move(string sourceFileName, string destFileName) => File.Move(sourceFileName, destFileName);

    /// <inheritdoc cref="File.Move(string, string, bool)"/>
    public static void Move(string sourceFileName, string destFileName, bool overwrite) =>
        File.Move(sourceFileName, destFileName, overwrite);

    /// <inheritdoc cref="File.Replace(string, string, string)"/>
    public static void Replace(string sourceFileName, string destinationFileName, string? destinationBackupFileName) =>
        File.Replace(sourceFileName, destinationFileName, destinationBackupFileName);

    /// <inheritdoc cref="File.Replace(string, string, string, bool)"/>
    public static void Replace(
        string sourceFileName, string destinationFileName, string? destinationBackupFileName, bool ignoreMetadataErrors) =>
        File.Replace(sourceFileName, destinationFileName, destinationBackupFileName, ignoreMetadataErrors);

    /// <summary>Copies a file or a directory tree on the calling thread.</summary>
    /// <param name="sourceFileName">The path of the file or directory to copy.</param>
    /// <param name="destFileName">The path of the copy itself, not of the directory that is to contain it.</param>
    /// <param name="options">The options.</param>
    /// <param name="cancellationToken">The token to monitor for cancellation requests.</param>
    /// <returns>The result of the copy, including the method that was used.</returns>
    /// <exception cref="ArgumentException">
    /// A path is empty or is not a valid path, or the options contradict each other.
    /// </exception>
    /// <exception cref="ArgumentNullException">
    /// <paramref name="sourceFileName"/>, <paramref name="destFileName"/> or <paramref name="options"/> is <see langword="null"/>.
    /// </exception>
    /// <exception cref="FileNotFoundException">The source does not exist.</exception>
    /// <exception cref="DirectoryNotFoundException">
    /// A directory of the source path or of the target path does not exist.
    /// </exception>
    /// <exception cref="PlatformNotSupportedException">An option or the method is supported only on Linux.</exception>
    /// <exception cref="UnauthorizedAccessException">
    /// The source cannot be read, the target cannot be written, or the source is a directory and
    /// <see cref="CopyOptions.Recurse"/> is <see langword="false"/>.
    /// </exception>
    /// <exception cref="FileBatchException">
    /// Files or directories inside a tree failed. The exception contains all failures.
    /// </exception>
    /// <exception cref="IOException">
    /// The target already exists; or the target is the source; or another process uses the source or the target; or the disk is full; or,
    /// with <see cref="CopyOptions.Verify"/>, the copy differs from the source.
    /// </exception>
    /// <exception cref="OperationCanceledException">
    /// <paramref name="cancellationToken"/> was canceled. If files or directories in a tree failed before, the inner exception is a
    /// <see cref="FileBatchException"/>.
    /// </exception>
    /// <remarks>
    /// This method copies in the same way as <see cref="CopyAsync"/>. The copy of a tree, and a copy with
    /// <see cref="CopyOptions.Verify"/>, may use additional threads.
    /// </remarks>
    public static CopyResult Copy(
        string sourceFileName, string destFileName, CopyOptions options, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(options);
        (string source, string target) = CheckCopy(sourceFileName, destFileName, options);
        cancellationToken.ThrowIfCancellationRequested();
        return CopyWork.Run(source, target, options, cancellationToken);
    }

    /// <summary>Asynchronously copies a file or a directory tree.</summary>
    /// <param name="sourceFileName">The path of the file or directory to copy.</param>
    /// <param name="destFileName">The path of the copy itself, not of the directory that is to contain it.</param>
    /// <param name="options">The options, or <see langword="null"/> for the defaults.</param>
    /// <param name="cancellationToken">
    /// The token to monitor for cancellation requests. A canceled copy of a file is removed, unless <see cref="CopyOptions.Resume"/> is
    /// <see langword="true"/>; of a tree, the files that were copied stay.
    /// </param>
    /// <returns>A task whose result describes what was copied and which method was used.</returns>
    /// <exception cref="ArgumentException">
    /// A path is empty or is not a valid path, or the options contradict each other.
    /// </exception>
    /// <exception cref="ArgumentNullException">
    /// <paramref name="sourceFileName"/> or <paramref name="destFileName"/> is <see langword="null"/>.
    /// </exception>
    /// <exception cref="FileNotFoundException">The source does not exist.</exception>
    /// <exception cref="DirectoryNotFoundException">
    /// A directory of the source path or of the target path does not exist.
    /// </exception>
    /// <exception cref="PlatformNotSupportedException">An option or the method is supported only on Linux.</exception>
    /// <exception cref="UnauthorizedAccessException">
    /// The source cannot be read, the target cannot be written, or the source is a directory and
    /// <see cref="CopyOptions.Recurse"/> is <see langword="false"/>.
    /// </exception>
    /// <exception cref="FileBatchException">
    /// Files or directories inside a tree failed. The exception contains all failures.
    /// </exception>
    /// <exception cref="IOException">
    /// The target already exists; or the target is the source; or another process uses the source or the target; or the disk is full; or,
    /// with <see cref="CopyOptions.Verify"/>, the copy differs from the source.
    /// </exception>
    /// <exception cref="OperationCanceledException">
    /// <paramref name="cancellationToken"/> was canceled. If files or directories in a tree failed before, the inner exception is a
    /// <see cref="FileBatchException"/>.
    /// </exception>
    /// <remarks>
    /// <para>A single file of up to 256 KiB without holes is copied on the calling thread, unless <see cref="CopyOptions.FlushToDisk"/>,
    /// <see cref="CopyOptions.Verify"/>, <see cref="CopyOptions.BytesPerSecond"/> or a method other than <see cref="CopyMethod.Auto"/> or
    /// <see cref="CopyMethod.Buffered"/> is set. All other copies run on a thread of their own. Unless one of these options is set, the
    /// calling thread opens the source in any case, and waits if the file system does not respond.</para>
    /// <para>By default, the copy uses the fastest method that works; see <see cref="CopyMethod.Auto"/>. On Linux, holes in a
    /// file are preserved.</para>
    /// <para>A new file is created at its name and filled, as by <see cref="File.Copy(string, string)"/>. If the copy fails or is canceled,
    /// the file is removed; if the process is killed, an incomplete file remains, whose last write time is not that of the source. With
    /// <see cref="CopyOptions.Atomic"/>, <see cref="CopyOptions.FlushToDisk"/> or <see cref="CopyOptions.Resume"/>, and if an existing file
    /// is replaced, the data is first written to a temporary file next to the target, which is renamed to the target when it is complete.
    /// The target is then never incomplete, unless the power fails and <see cref="CopyOptions.FlushToDisk"/> is not set. There are three
    /// other cases in which this does not hold. With <see cref="CopyOptions.FlushToDisk"/>, the flush of the target's directory can fail
    /// after the rename. If the file system refuses an owner, permissions or times, the copy is complete and the exception is thrown at its
    /// end. On FUSE file systems that support neither a rename without replacement nor hard links, an empty target file can remain if the
    /// process is killed during the rename.</para>
    /// <para>A tree is copied in place: each directory and each file is created at its name in the target. If the copy of a file fails, its
    /// target is removed again; what was copied before stays. A file gets the times of its source last, so that a file which a killed
    /// process left incomplete differs from its source. To continue such a copy, repeat it with
    /// <see cref="CopyOptions.SkipUnchanged"/> and <see cref="CopyOptions.Overwrite"/>. A file that exists in the target is replaced in the
    /// way of a single file.</para>
    /// <para>The copy gets the times of the source and, if it is a new file, its permissions, as with <see cref="File.Copy(string, string)"/>.
    /// If a target file is replaced, its permissions and extended attributes are kept, and so is its owner if the process may set the owner.
    /// Other hard links to the target keep the old content. If a source file is written to during the copy, the copy may contain data of
    /// several versions; see <see cref="CopyResult.ChangedFiles"/>.</para>
    /// <para>By default, the copy of a tree stops at the first failure. With <see cref="CopyOptions.ContinueOnError"/>, all other entries
    /// are copied. Even with this option, on Linux the copy stops if the disk is full or read-only or a quota is exceeded.</para>
    /// </remarks>
    public static Task<CopyResult> CopyAsync(
        string sourceFileName, string destFileName, CopyOptions? options = null, CancellationToken cancellationToken = default)
    {
        options ??= new CopyOptions();
        (string source, string target) = CheckCopy(sourceFileName, destFileName, options);
        return cancellationToken.IsCancellationRequested
            ? Task.FromCanceled<CopyResult>(cancellationToken)
            : CopyWork.RunAsync(source, target, options, cancellationToken);
    }

    private static (string Source, string Target) CheckCopy(string sourceFileName, string destFileName, CopyOptions options)
    {
        ArgumentException.ThrowIfNullOrEmpty(sourceFileName);
        ArgumentException.ThrowIfNullOrEmpty(destFileName);
        options.Check();
        return (Path.GetFullPath(sourceFileName), Path.GetFullPath(destFileName));
    }

    /// <summary>
    /// Flushes a directory to the disk, so that the names of files that were created, renamed or deleted in it survive a power failure
    /// (fsync(2)).
    /// </summary>
    /// <param name="path">The path of the directory.</param>
    /// <exception cref="ArgumentException">The path is empty or is not a valid path.</exception>
    /// <exception cref="ArgumentNullException"><paramref name="path"/> is <see langword="null"/>.</exception>
    /// <exception cref="DirectoryNotFoundException">The directory does not exist.</exception>
    /// <exception cref="UnauthorizedAccessException">The process is not permitted to read the directory.</exception>
    /// <exception cref="IOException">The device or the file system reported an error.</exception>
    /// <remarks>
    /// <para><see cref="SluiceHandle.FlushToDisk"/> makes the content of a file durable, but not the name of a new file: for that, flush the
    /// file and then its directory. The name of a new directory is in its parent directory.</para>
    /// <para>The method is thread-safe. It does nothing if the file system cannot flush directories, and on other operating systems than
    /// 64-bit Linux.</para>
    /// </remarks>
    public static void FlushDirectoryToDisk(string path)
    {
        ArgumentException.ThrowIfNullOrEmpty(path);
        path = Path.GetFullPath(path);
        if (!Directory.Exists(path))
        {
            throw new DirectoryNotFoundException($"Flushing '{path}' failed: the directory does not exist.");
        }

        if (!Libc.IsSupported)
        {
            return;
        }

        int fd = PathCalls.Open(PathCalls.ToKernel(path), PathCalls.ReadOnly | PathCalls.DirectoryFlag);
        PathErrors.ThrowIfFailed(fd, "Flushing", path);
        using SafeFileHandle directory = new(fd, ownsHandle: true);
        int result = Libc.Flush(fd);
        PathErrors.ThrowIfFailed(OpenFile.IsUnflushable(-result) ? 0 : result, "Flushing", path);
    }

    /// <summary>Replaces the content of a file atomically and durably, or creates the file.</summary>
    /// <param name="path">The path of the file to replace or create.</param>
    /// <param name="bytes">The new content.</param>
    /// <param name="options">The options of the replacement, or <see langword="null"/> (the default) for the default options.</param>
    /// <exception cref="ArgumentException">The path is empty or is not a valid path.</exception>
    /// <exception cref="ArgumentNullException">
    /// An argument that must not be <see langword="null"/> is <see langword="null"/>.
    /// </exception>
    /// <exception cref="DirectoryNotFoundException">The directory of the file does not exist.</exception>
    /// <exception cref="UnauthorizedAccessException">
    /// The file or its directory cannot be written to, or the owner of the existing file cannot be preserved.
    /// </exception>
    /// <exception cref="IOException">
    /// The disk is full, the file is a mount point, the temporary file was removed by another process, or another I/O error occurred. The
    /// old content is in place, unless the error occurred in the last step, the flush of the directory.
    /// </exception>
    /// <remarks>
    /// <para>After a crash at any moment, the file has either the complete old content or the complete new content.</para>
    /// <para>The new content is written to a temporary file in the same directory. This file is flushed to the disk and renamed to the
    /// path. On Linux, the directory is then flushed too, so that the new content is durable when the call has completed. On other
    /// operating systems, the durability of the rename depends on the file system.</para>
    /// <para>On Linux, the new file gets the permissions, owner, access control list and extended attributes of the existing file. The
    /// set-user-ID and set-group-ID bits and the capabilities are not preserved. If the owner cannot be preserved, the call fails and
    /// nothing is replaced. On other operating systems, an existing file is replaced with
    /// <see cref="File.Replace(string, string, string)"/>.</para>
    /// <para>If the path is a symbolic link, the target of the link is replaced. Other hard links to the file keep the old content.
    /// If the process is killed, a temporary file whose name ends in <c>.sluice-tmp</c> may remain in the directory.</para>
    /// <para>The method is thread-safe. If several calls replace the same file, the content is that of the call that completed the
    /// replacement last.</para>
    /// </remarks>
    public static void ReplaceAtomically(string path, ReadOnlySpan<byte> bytes, ReplaceOptions? options = null)
    {
        ArgumentException.ThrowIfNullOrEmpty(path);
        using AtomicReplacement replacement = AtomicReplacement.Begin(path, options ?? new ReplaceOptions());
        replacement.Handle.Write(bytes, 0);
        replacement.Commit(CancellationToken.None);
    }

    /// <summary>Replaces the content of a file atomically and durably with text, or creates the file.</summary>
    /// <param name="path">The path of the file to replace or create.</param>
    /// <param name="contents">The new text.</param>
    /// <param name="encoding">
    /// The encoding of the text, or <see langword="null"/> (the default) for UTF-8 without a byte order mark. If the encoding has a byte
    /// order mark, the mark is written first.
    /// </param>
    /// <param name="options">The options of the replacement, or <see langword="null"/> (the default) for the default options.</param>
    /// <inheritdoc cref="ReplaceAtomically(string, ReadOnlySpan{byte}, ReplaceOptions)" path="/exception"/>
    /// <inheritdoc cref="ReplaceAtomically(string, ReadOnlySpan{byte}, ReplaceOptions)" path="/remarks"/>
    public static void ReplaceAtomically(
        string path, ReadOnlySpan<char> contents, Encoding? encoding = null, ReplaceOptions? options = null)
    {
        ArgumentException.ThrowIfNullOrEmpty(path);
        using AtomicReplacement replacement = AtomicReplacement.Begin(path, options ?? new ReplaceOptions());
        WriteText(replacement.Handle, contents, encoding ?? DefaultEncoding, isAppending: false);
        replacement.Commit(CancellationToken.None);
    }

    /// <summary>
    /// Replaces the content of a file atomically and durably with the data that a method writes, or creates the file.
    /// </summary>
    /// <param name="path">The path of the file to replace or create.</param>
    /// <param name="write">
    /// The method that writes the new content to the handle that is passed to it. The handle is closed after the method returns. If the
    /// method throws an exception, the old content stays in place and the exception is thrown to the caller.
    /// </param>
    /// <param name="options">The options of the replacement, or <see langword="null"/> (the default) for the default options.</param>
    /// <inheritdoc cref="ReplaceAtomically(string, ReadOnlySpan{byte}, ReplaceOptions)" path="/exception"/>
    /// <inheritdoc cref="ReplaceAtomically(string, ReadOnlySpan{byte}, ReplaceOptions)" path="/remarks"/>
    public static void ReplaceAtomically(string path, Action<SluiceHandle> write, ReplaceOptions? options = null)
    {
        ArgumentException.ThrowIfNullOrEmpty(path);
        ArgumentNullException.ThrowIfNull(write);
        using AtomicReplacement replacement = AtomicReplacement.Begin(path, options ?? new ReplaceOptions());
        write(replacement.Handle);
        replacement.Commit(CancellationToken.None);
    }

    /// <summary>Asynchronously replaces the content of a file atomically and durably, or creates the file.</summary>
    /// <param name="path">The path of the file to replace or create.</param>
    /// <param name="bytes">The new content. The memory must not change until the task has completed.</param>
    /// <param name="options">The options of the replacement, or <see langword="null"/> (the default) for the default options.</param>
    /// <param name="cancellationToken">
    /// The token to monitor for cancellation requests. The operation can be canceled until the file is replaced. If it is canceled, the old
    /// content stays in place.
    /// </param>
    /// <returns>A task that completes when the new content is durable.</returns>
    /// <exception cref="ArgumentException">The path is empty or is not a valid path.</exception>
    /// <exception cref="ArgumentNullException">
    /// An argument that must not be <see langword="null"/> is <see langword="null"/>.
    /// </exception>
    /// <exception cref="DirectoryNotFoundException">The directory of the file does not exist.</exception>
    /// <exception cref="UnauthorizedAccessException">
    /// The file or its directory cannot be written to, or the owner of the existing file cannot be preserved.
    /// </exception>
    /// <exception cref="IOException">
    /// The disk is full, the file is a mount point, the temporary file was removed by another process, or another I/O error occurred. The
    /// old content is in place, unless the error occurred in the last step, the flush of the directory.
    /// </exception>
    /// <exception cref="OperationCanceledException">
    /// <paramref name="cancellationToken"/> was canceled. The old content is in place.
    /// </exception>
    /// <remarks>
    /// <para>After a crash at any moment, the file has either the complete old content or the complete new content.</para>
    /// <para>The new content is written to a temporary file in the same directory. This file is flushed to the disk and renamed to the
    /// path. On Linux, the directory is then flushed too, so that the new content is durable when the call has completed. On other
    /// operating systems, the durability of the rename depends on the file system.</para>
    /// <para>On Linux, the new file gets the permissions, owner, access control list and extended attributes of the existing file. The
    /// set-user-ID and set-group-ID bits and the capabilities are not preserved. If the owner cannot be preserved, the call fails and
    /// nothing is replaced. On other operating systems, an existing file is replaced with
    /// <see cref="File.Replace(string, string, string)"/>.</para>
    /// <para>If the path is a symbolic link, the target of the link is replaced. Other hard links to the file keep the old content.
    /// If the process is killed, a temporary file whose name ends in <c>.sluice-tmp</c> may remain in the directory.</para>
    /// <para>The method is thread-safe. If several calls replace the same file, the content is that of the call that completed the
    /// replacement last.</para>
    /// </remarks>
    public static Task ReplaceAtomicallyAsync(
        string path, ReadOnlyMemory<byte> bytes, ReplaceOptions? options = null, CancellationToken cancellationToken = default) =>
        ReplaceAtomicallyAsync(path, (handle, token) => handle.WriteAsync(bytes, 0, token), options, cancellationToken);

    /// <summary>Asynchronously replaces the content of a file atomically and durably with text, or creates the file.</summary>
    /// <param name="path">The path of the file to replace or create.</param>
    /// <param name="contents">The new text, or <see langword="null"/> for an empty file.</param>
    /// <param name="encoding">
    /// The encoding of the text, or <see langword="null"/> (the default) for UTF-8 without a byte order mark. If the encoding has a byte
    /// order mark, the mark is written first.
    /// </param>
    /// <param name="options">The options of the replacement, or <see langword="null"/> (the default) for the default options.</param>
    /// <param name="cancellationToken">
    /// The token to monitor for cancellation requests. The operation can be canceled until the file is replaced. If it is canceled, the old
    /// content stays in place.
    /// </param>
    /// <returns>A task that completes when the new content is durable.</returns>
    /// <inheritdoc cref="ReplaceAtomicallyAsync(string, ReadOnlyMemory{byte}, ReplaceOptions, CancellationToken)" path="/exception"/>
    /// <inheritdoc cref="ReplaceAtomicallyAsync(string, ReadOnlyMemory{byte}, ReplaceOptions, CancellationToken)" path="/remarks"/>
    public static Task ReplaceAtomicallyAsync(
        string path, string? contents, Encoding? encoding = null, ReplaceOptions? options = null,
        CancellationToken cancellationToken = default) =>
        ReplaceAtomicallyAsync(path, contents.AsMemory(), encoding, options, cancellationToken);

    /// <summary>Asynchronously replaces the content of a file atomically and durably with text, or creates the file.</summary>
    /// <param name="path">The path of the file to replace or create.</param>
    /// <param name="contents">The new text. The memory must not change until the task has completed.</param>
    /// <param name="encoding">
    /// The encoding of the text, or <see langword="null"/> (the default) for UTF-8 without a byte order mark. If the encoding has a byte
    /// order mark, the mark is written first.
    /// </param>
    /// <param name="options">The options of the replacement, or <see langword="null"/> (the default) for the default options.</param>
    /// <param name="cancellationToken">
    /// The token to monitor for cancellation requests. The operation can be canceled until the file is replaced. If it is canceled, the old
    /// content stays in place.
    /// </param>
    /// <returns>A task that completes when the new content is durable.</returns>
    /// <inheritdoc cref="ReplaceAtomicallyAsync(string, ReadOnlyMemory{byte}, ReplaceOptions, CancellationToken)" path="/exception"/>
    /// <inheritdoc cref="ReplaceAtomicallyAsync(string, ReadOnlyMemory{byte}, ReplaceOptions, CancellationToken)" path="/remarks"/>
    public static Task ReplaceAtomicallyAsync(
        string path, ReadOnlyMemory<char> contents, Encoding? encoding = null, ReplaceOptions? options = null,
        CancellationToken cancellationToken = default)
    {
        encoding ??= DefaultEncoding;
        return ReplaceAtomicallyAsync(path, Write, options, cancellationToken);

        async ValueTask Write(SluiceHandle handle, CancellationToken token)
        {
            await InlineLimit.SwitchThreadIfAboveAsync(InlineLimit.BytesPerChar * contents.Length);
            await WriteTextAsync(handle, contents, encoding, isAppending: false, token).ConfigureAwait(false);
        }
    }

    /// <summary>
    /// Asynchronously replaces the content of a file atomically and durably with the data that a method writes, or creates the
    /// file.
    /// </summary>
    /// <param name="path">The path of the file to replace or create.</param>
    /// <param name="write">
    /// The method that writes the new content to the handle that is passed to it. The handle is closed when the task of the method has
    /// completed. If the method fails, the old content stays in place and the exception is thrown to the caller.
    /// </param>
    /// <param name="options">The options of the replacement, or <see langword="null"/> (the default) for the default options.</param>
    /// <param name="cancellationToken">
    /// The token to monitor for cancellation requests. The operation can be canceled until the file is replaced. If it is canceled, the old
    /// content stays in place.
    /// </param>
    /// <returns>A task that completes when the new content is durable.</returns>
    /// <inheritdoc cref="ReplaceAtomicallyAsync(string, ReadOnlyMemory{byte}, ReplaceOptions, CancellationToken)" path="/exception"/>
    /// <inheritdoc cref="ReplaceAtomicallyAsync(string, ReadOnlyMemory{byte}, ReplaceOptions, CancellationToken)" path="/remarks"/>
    public static Task ReplaceAtomicallyAsync(
        string path,
        Func<SluiceHandle, CancellationToken, ValueTask> write,
        ReplaceOptions? options = null,
        CancellationToken cancellationToken = default)
    {
        ArgumentException.ThrowIfNullOrEmpty(path);
        ArgumentNullException.ThrowIfNull(write);
        return cancellationToken.IsCancellationRequested
            ? Task.FromCanceled(cancellationToken)
            : AtomicReplacement.RunAsync(path, options ?? new ReplaceOptions(), write, cancellationToken);
    }

    /// <summary>Enumerates the files in a directory.</summary>
    /// <param name="path">The path of the directory.</param>
    /// <returns>The paths of the files.</returns>
    /// <inheritdoc cref="Directory.EnumerateFiles(string)" path="/exception"/>
    /// <remarks>
    /// The files are those that <see cref="Directory.EnumerateFiles(string)"/> returns, with the same paths, but their order is not
    /// specified. The directory is opened by this call and is read when the first element is requested. A long enumeration also uses
    /// thread-pool threads.
    /// </remarks>
    public static IEnumerable<string> EnumerateFiles(string path) => EnumerateFiles(path, "*", CompatibleOptions);

    /// <summary>Enumerates the files in a directory whose names match a pattern.</summary>
    /// <param name="path">The path of the directory.</param>
    /// <param name="searchPattern">The pattern that the file names must match. It may contain the wildcards * and ?.</param>
    /// <returns>The paths of the files.</returns>
    /// <inheritdoc cref="Directory.EnumerateFiles(string, string)" path="/exception"/>
    /// <remarks>
    /// The files are those that <see cref="Directory.EnumerateFiles(string, string)"/> returns, with the same paths, but their order is not
    /// specified. The directory is opened by this call and is read when the first element is requested. A long enumeration also uses
    /// thread-pool threads.
    /// </remarks>
    public static IEnumerable<string> EnumerateFiles(string path, string searchPattern) =>
        EnumerateFiles(path, searchPattern, CompatibleOptions);

    /// <summary>
    /// Enumerates the files in a directory whose names match a pattern, and optionally those in its subdirectories.
    /// </summary>
    /// <param name="path">The path of the directory.</param>
    /// <param name="searchPattern">The pattern that the file names must match. It may contain the wildcards * and ?.</param>
    /// <param name="searchOption">A value that specifies whether to include the subdirectories.</param>
    /// <returns>The paths of the files.</returns>
    /// <inheritdoc cref="Directory.EnumerateFiles(string, string, SearchOption)" path="/exception"/>
    /// <remarks>
    /// The files are those that <see cref="Directory.EnumerateFiles(string, string, SearchOption)"/> returns, with the same paths, but
    /// their order is not specified. The directory is opened by this call and is read when the first element is requested. A long
    /// enumeration also uses thread-pool threads.
    /// </remarks>
    public static IEnumerable<string> EnumerateFiles(string path, string searchPattern, SearchOption searchOption) =>
        EnumerateFiles(path, searchPattern, searchOption switch
        {
            SearchOption.TopDirectoryOnly => CompatibleOptions,
            SearchOption.AllDirectories => new EnumerationOptions
            {
                MatchType = MatchType.Win32,
                AttributesToSkip = 0,
                IgnoreInaccessible = false,
                RecurseSubdirectories = true,
            },
            _ => throw new ArgumentOutOfRangeException(nameof(searchOption)),
        });

    /// <summary>Enumerates the files in a directory with the specified options.</summary>
    /// <param name="path">The path of the directory.</param>
    /// <param name="enumerationOptions">The options of the enumeration.</param>
    /// <returns>The paths of the files.</returns>
    /// <inheritdoc cref="Directory.EnumerateFiles(string, string, EnumerationOptions)" path="/exception"/>
    /// <remarks>
    /// The files are those that <see cref="Directory.EnumerateFiles(string, string, EnumerationOptions)"/> returns, with the same paths,
    /// but their order is not specified. The directory is opened by this call and is read when the first element is requested. A long
    /// enumeration also uses thread-pool threads.
    /// </remarks>
    public static IEnumerable<string> EnumerateFiles(string path, EnumerationOptions enumerationOptions) =>
        EnumerateFiles(path, "*", enumerationOptions);

    /// <summary>Enumerates the files in a directory whose names match a pattern, with the specified options.</summary>
    /// <param name="path">The path of the directory.</param>
    /// <param name="searchPattern">The pattern that the file names must match. It may contain the wildcards * and ?.</param>
    /// <param name="enumerationOptions">The options of the enumeration.</param>
    /// <returns>The paths of the files.</returns>
    /// <inheritdoc cref="Directory.EnumerateFiles(string, string, EnumerationOptions)" path="/exception"/>
    /// <remarks>
    /// The files are those that <see cref="Directory.EnumerateFiles(string, string, EnumerationOptions)"/> returns, with the same paths,
    /// but their order is not specified. The directory is opened by this call and is read when the first element is requested. A long
    /// enumeration also uses thread-pool threads.
    /// </remarks>
    public static IEnumerable<string> EnumerateFiles(string path, string searchPattern, EnumerationOptions enumerationOptions)
    {
        FolderQuery? query = TryPlan(path, searchPattern, enumerationOptions, wantsDetails: false);
        return query is not null && FolderWalk.TryOpen(query) is { } walk
            ? new FolderEnumerable<string>(query, walk, static (chunk, index) => chunk.PathAt(index))
            : Directory.EnumerateFiles(path, searchPattern, enumerationOptions);
    }

    /// <summary>Enumerates the files in a directory, with their lengths and times.</summary>
    /// <param name="path">The path of the directory.</param>
    /// <param name="searchPattern">
    /// The pattern that the file names must match. It may contain the wildcards * and ?. The default is "*", which matches every
    /// name.
    /// </param>
    /// <param name="enumerationOptions">
    /// The options of the enumeration, or <see langword="null"/> (the default) for the default options of <see cref="Directory"/>.
    /// </param>
    /// <returns>The files, with their paths, lengths and times.</returns>
    /// <inheritdoc cref="Directory.EnumerateFiles(string, string, EnumerationOptions)" path="/exception"/>
    /// <remarks>
    /// The files are those that <see cref="Directory.EnumerateFiles(string, string, EnumerationOptions)"/> returns, with the same paths,
    /// but their order is not specified. The directory is opened by this call and is read when the first element is requested. A long
    /// enumeration also uses thread-pool threads.
    /// </remarks>
    public static IEnumerable<FileEntry> EnumerateFileEntries(
        string path, string searchPattern = "*", EnumerationOptions? enumerationOptions = null)
    {
        enumerationOptions ??= CompatibleOptions;
        FolderQuery? query = TryPlan(path, searchPattern, enumerationOptions, wantsDetails: true);
        return query is not null && FolderWalk.TryOpen(query) is { } walk
            ? new FolderEnumerable<FileEntry>(query, walk, static (chunk, index) => chunk.EntryAt(index))
            : Directory.EnumerateFiles(path, searchPattern, enumerationOptions).Select(Describe);
    }

    /// <summary>
    /// Returns null if the call must be passed to System.IO: for options that <see cref="FolderWalk"/> does not support, and for arguments
    /// that System.IO rejects.
    /// </summary>
    private static FolderQuery? TryPlan(string path, string searchPattern, EnumerationOptions options, bool wantsDetails)
    {
        const FileAttributes known = FileAttributes.Hidden | FileAttributes.System;
        if (!Libc.IsSupported || string.IsNullOrEmpty(path) || searchPattern is null || options is null
            || (options.AttributesToSkip & ~known) != 0
            || path.Contains('\0') || searchPattern.Contains('\0')
            || Path.IsPathRooted(searchPattern))
        {
            return null;
        }

        // As in .NET, a directory in the pattern is part of the path.
        ReadOnlySpan<char> below = Path.GetDirectoryName(searchPattern.AsSpan());
        if (!below.IsEmpty)
        {
            path = Path.Join(path, below);
            searchPattern = searchPattern[(below.Length + 1)..];
        }

        return new FolderQuery(path, searchPattern, options, wantsDetails);
    }

    private static FileEntry Describe(string path)
    {
        FileInfo info = new(path);
        return new FileEntry(path, info.Exists ? info.Length : -1, info.CreationTimeUtc, info.LastWriteTimeUtc, info.LastAccessTimeUtc);
    }

    /// <inheritdoc cref="File.Exists(string)"/>
    public static bool Exists([NotNullWhen(true)] string? path) => File.Exists(path);

    /// <inheritdoc cref="File.Delete(string)"/>
    public static void Delete(string path) => File.Delete(path);

    /// <inheritdoc cref="File.Encrypt(string)"/>
    [SupportedOSPlatform("windows")]
    public static void Encrypt(string path) => File.Encrypt(path);

    /// <inheritdoc cref="File.Decrypt(string)"/>
    [SupportedOSPlatform("windows")]
    public static void Decrypt(string path) => File.Decrypt(path);

    /// <inheritdoc cref="File.CreateSymbolicLink(string, string)"/>
    public static FileSystemInfo CreateSymbolicLink(string path, string pathToTarget) => File.CreateSymbolicLink(path, pathToTarget);

    /// <summary>Creates a hard link to an existing file. This method behaves like <c>File.CreateHardLink</c> of .NET 11.</summary>
    /// <param name="path">The path of the hard link.</param>
    /// <param name="pathToTarget">
    /// The path of the existing file. A relative path is relative to the current directory. If the path is a symbolic link, the hard link
    /// refers to the symbolic link itself (link(2)).
    /// </param>
    /// <returns>A <see cref="FileInfo"/> for <paramref name="path"/>.</returns>
    /// <exception cref="ArgumentNullException">
    /// <paramref name="path"/> or <paramref name="pathToTarget"/> is <see langword="null"/>.
    /// </exception>
    /// <exception cref="ArgumentException">
    /// <paramref name="path"/> or <paramref name="pathToTarget"/> is empty or contains a null character.
    /// </exception>
    /// <exception cref="DirectoryNotFoundException">The directory of <paramref name="path"/> does not exist.</exception>
    /// <exception cref="FileNotFoundException"><paramref name="pathToTarget"/> does not exist.</exception>
    /// <exception cref="UnauthorizedAccessException">
    /// The operating system denied the access, or <paramref name="pathToTarget"/> is a directory.
    /// </exception>
    /// <exception cref="IOException">
    /// <paramref name="path"/> already exists, the two paths are on different file systems, or the file system does not support hard links.
    /// </exception>
    public static FileSystemInfo CreateHardLink(string path, string pathToTarget)
    {
        CheckPath(path);
        CheckPath(pathToTarget);
        if (OperatingSystem.IsWindows())
        {
            PortableLinks.CreateOnWindows(path, pathToTarget);
        }
        else
        {
            int result = Libc.IsSupported
                ? NodeCalls.Link(NodePath.Of(pathToTarget), NodePath.Of(path))
                : PortableLinks.Create(path, pathToTarget);
            PathErrors.ThrowIfFailed(result, $"Linking to '{pathToTarget}' as", path);
        }

        return new FileInfo(path);
    }

    private static void CheckPath(string path, [CallerArgumentExpression(nameof(path))] string? name = null)
    {
        ArgumentException.ThrowIfNullOrEmpty(path, name);
        if (path.Contains('\0'))
        {
            throw new ArgumentException("Null character in path.", name);
        }
    }

    /// <inheritdoc cref="File.ResolveLinkTarget(string, bool)"/>
    public static FileSystemInfo? ResolveLinkTarget(string linkPath, bool returnFinalTarget) =>
        File.ResolveLinkTarget(linkPath, returnFinalTarget);

    /// <inheritdoc cref="File.GetAttributes(string)"/>
    public static FileAttributes GetAttributes(string path) => File.GetAttributes(path);

    /// <inheritdoc cref="File.GetAttributes(SafeFileHandle)"/>
    public static FileAttributes GetAttributes(SafeFileHandle fileHandle) => File.GetAttributes(fileHandle);

    /// <inheritdoc cref="File.SetAttributes(string, FileAttributes)"/>
    public static void SetAttributes(string path, FileAttributes fileAttributes) => File.SetAttributes(path, fileAttributes);

    /// <inheritdoc cref="File.SetAttributes(SafeFileHandle, FileAttributes)"/>
    public static void SetAttributes(SafeFileHandle fileHandle, FileAttributes fileAttributes) =>
        File.SetAttributes(fileHandle, fileAttributes);

    /// <inheritdoc cref="File.GetUnixFileMode(string)"/>
    [UnsupportedOSPlatform("windows")]
    public static UnixFileMode GetUnixFileMode(string path) => File.GetUnixFileMode(path);

    /// <inheritdoc cref="File.GetUnixFileMode(SafeFileHandle)"/>
    [UnsupportedOSPlatform("windows")]
    public static UnixFileMode GetUnixFileMode(SafeFileHandle fileHandle) => File.GetUnixFileMode(fileHandle);

    /// <inheritdoc cref="File.SetUnixFileMode(string, UnixFileMode)"/>
    [UnsupportedOSPlatform("windows")]
    public static void SetUnixFileMode(string path, UnixFileMode mode) => File.SetUnixFileMode(path, mode);

    /// <inheritdoc cref="File.SetUnixFileMode(SafeFileHandle, UnixFileMode)"/>
    [UnsupportedOSPlatform("windows")]
    public static void SetUnixFileMode(SafeFileHandle fileHandle, UnixFileMode mode) => File.SetUnixFileMode(fileHandle, mode);

    /// <inheritdoc cref="File.GetCreationTime(string)"/>
    public static DateTime GetCreationTime(string path) => File.GetCreationTime(path);

    /// <inheritdoc cref="File.GetCreationTime(SafeFileHandle)"/>
    public static DateTime GetCreationTime(SafeFileHandle fileHandle) => File.GetCreationTime(fileHandle);

    /// <inheritdoc cref="File.SetCreationTime(string, DateTime)"/>
    public static void SetCreationTime(string path, DateTime creationTime) => File.SetCreationTime(path, creationTime);

    /// <inheritdoc cref="File.SetCreationTime(SafeFileHandle, DateTime)"/>
    public static void SetCreationTime(SafeFileHandle fileHandle, DateTime creationTime) => File.SetCreationTime(fileHandle, creationTime);

    /// <inheritdoc cref="File.GetCreationTimeUtc(string)"/>
    public static DateTime GetCreationTimeUtc(string path) => File.GetCreationTimeUtc(path);

    /// <inheritdoc cref="File.GetCreationTimeUtc(SafeFileHandle)"/>
    public static DateTime GetCreationTimeUtc(SafeFileHandle fileHandle) => File.GetCreationTimeUtc(fileHandle);

    /// <inheritdoc cref="File.SetCreationTimeUtc(string, DateTime)"/>
    public static void SetCreationTimeUtc(string path, DateTime creationTimeUtc) => File.SetCreationTimeUtc(path, creationTimeUtc);

    /// <inheritdoc cref="File.SetCreationTimeUtc(SafeFileHandle, DateTime)"/>
    public static void SetCreationTimeUtc(SafeFileHandle fileHandle, DateTime creationTimeUtc) =>
        File.SetCreationTimeUtc(fileHandle, creationTimeUtc);

    /// <inheritdoc cref="File.GetLastAccessTime(string)"/>
    public static DateTime GetLastAccessTime(string path) => File.GetLastAccessTime(path);

    /// <inheritdoc cref="File.GetLastAccessTime(SafeFileHandle)"/>
    public static DateTime GetLastAccessTime(SafeFileHandle fileHandle) => File.GetLastAccessTime(fileHandle);

    /// <inheritdoc cref="File.SetLastAccessTime(string, DateTime)"/>
    public static void SetLastAccessTime(string path, DateTime lastAccessTime) => File.SetLastAccessTime(path, lastAccessTime);

    /// <inheritdoc cref="File.SetLastAccessTime(SafeFileHandle, DateTime)"/>
    public static void SetLastAccessTime(SafeFileHandle fileHandle, DateTime lastAccessTime) =>
        File.SetLastAccessTime(fileHandle, lastAccessTime);

    /// <inheritdoc cref="File.GetLastAccessTimeUtc(string)"/>
    public static DateTime GetLastAccessTimeUtc(string path) => File.GetLastAccessTimeUtc(path);

    /// <inheritdoc cref="File.GetLastAccessTimeUtc(SafeFileHandle)"/>
    public static DateTime GetLastAccessTimeUtc(SafeFileHandle fileHandle) => File.GetLastAccessTimeUtc(fileHandle);

    /// <inheritdoc cref="File.SetLastAccessTimeUtc(string, DateTime)"/>
    public static void SetLastAccessTimeUtc(string path, DateTime lastAccessTimeUtc) => File.SetLastAccessTimeUtc(path, lastAccessTimeUtc);

    /// <inheritdoc cref="File.SetLastAccessTimeUtc(SafeFileHandle, DateTime)"/>
    public static void SetLastAccessTimeUtc(SafeFileHandle fileHandle, DateTime lastAccessTimeUtc) =>
        File.SetLastAccessTimeUtc(fileHandle, lastAccessTimeUtc);

    /// <inheritdoc cref="File.GetLastWriteTime(string)"/>
    public static DateTime GetLastWriteTime(string path) => File.GetLastWriteTime(path);

    /// <inheritdoc cref="File.GetLastWriteTime(SafeFileHandle)"/>
    public static DateTime GetLastWriteTime(SafeFileHandle fileHandle) => File.GetLastWriteTime(fileHandle);

    /// <inheritdoc cref="File.SetLastWriteTime(string, DateTime)"/>
    public static void SetLastWriteTime(string path, DateTime lastWriteTime) => File.SetLastWriteTime(path, lastWriteTime);

    /// <inheritdoc cref="File.SetLastWriteTime(SafeFileHandle, DateTime)"/>
    public static void SetLastWriteTime(SafeFileHandle fileHandle, DateTime lastWriteTime) =>
        File.SetLastWriteTime(fileHandle, lastWriteTime);

    /// <inheritdoc cref="File.GetLastWriteTimeUtc(string)"/>
    public static DateTime GetLastWriteTimeUtc(string path) => File.GetLastWriteTimeUtc(path);

    /// <inheritdoc cref="File.GetLastWriteTimeUtc(SafeFileHandle)"/>
    public static DateTime GetLastWriteTimeUtc(SafeFileHandle fileHandle) => File.GetLastWriteTimeUtc(fileHandle);

    /// <inheritdoc cref="File.SetLastWriteTimeUtc(string, DateTime)"/>
    public static void SetLastWriteTimeUtc(string path, DateTime lastWriteTimeUtc) => File.SetLastWriteTimeUtc(path, lastWriteTimeUtc);

    /// <inheritdoc cref="File.SetLastWriteTimeUtc(SafeFileHandle, DateTime)"/>
    public static void SetLastWriteTimeUtc(SafeFileHandle fileHandle, DateTime lastWriteTimeUtc) =>
        File.SetLastWriteTimeUtc(fileHandle, lastWriteTimeUtc);
}
