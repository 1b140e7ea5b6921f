using System.Buffers;
using System.Runtime.CompilerServices;
using System.Text;
using Sluice.Files;
using Sluice.Sequential;

namespace Sluice;

// Whole files as lines.
public static partial class SluiceFile
{
#if DEBUG
    private const int LinePieceBytes = 128;
#else
    private const int LinePieceBytes = 64 * 1024;
#endif

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

        // Opened here, so that what cannot be opened is reported by the call.
        return EnumerateLinesAsync(WholeFile.Open(path, isAsync: true), path, encoding, cancellationToken);
    }

    /// <inheritdoc cref="File.ReadAllLines(string)"/>
    public static string[] ReadAllLines(string path) => ReadAllLines(path, Encoding.UTF8);

    /// <inheritdoc cref="File.ReadAllLines(string, Encoding)"/>
    public static string[] ReadAllLines(string path, Encoding encoding)
    {
        CheckText(path, encoding);
        using SluiceHandle handle = WholeFile.Open(path, isAsync: false);
        using LineDecoder decoder = new(path, encoding);
        byte[] piece = ArrayPool<byte>.Shared.Rent(LinePieceBytes);
        List<string> lines = [];
        try
        {
            long offset = 0;
            for (bool isLast = false; !isLast;)
            {
                int filled = 0;
                while (filled < LinePieceBytes && !isLast)
                {
                    int bytes = handle.Read(piece.AsSpan(filled, LinePieceBytes - filled), offset);
                    isLast = bytes == 0;
                    filled += bytes;
                    offset += bytes;
                }

                TakeLines(decoder, piece.AsSpan(0, filled), isLast, lines);
            }
        }
        finally
        {
            ArrayPool<byte>.Shared.Return(piece);
        }

        return [.. lines];
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
            using SluiceHandle handle = WholeFile.Open(path, isAsync: true);
            await InlineLimit.LeaveCallerIfAboveAsync(EndOf(handle));
            using LineDecoder decoder = new(path, encoding);
            byte[] piece = ArrayPool<byte>.Shared.Rent(LinePieceBytes);
            try
            {
                long offset = 0;
                for (bool isLast = false; !isLast;)
                {
                    int filled = await FillAsync(handle, piece.AsMemory(0, LinePieceBytes), offset, cancellationToken)
                        .ConfigureAwait(false);
                    isLast = filled < LinePieceBytes;
                    offset += filled;
                    TakeLines(decoder, piece.AsSpan(0, filled), isLast, lines);
                }
            }
            finally
            {
                ArrayPool<byte>.Shared.Return(piece);
            }

            return [.. lines];
        }
    }

    /// <inheritdoc cref="File.WriteAllLines(string, string[])"/>
    public static void WriteAllLines(string path, string[] contents) =>
        WholeFileWriter.Write(path, FileMode.Create, contents, DefaultEncoding);

    /// <inheritdoc cref="File.WriteAllLines(string, IEnumerable{string})"/>
    public static void WriteAllLines(string path, IEnumerable<string> contents) =>
        WholeFileWriter.Write(path, FileMode.Create, contents, DefaultEncoding);

    /// <inheritdoc cref="File.WriteAllLines(string, string[], Encoding)"/>
    public static void WriteAllLines(string path, string[] contents, Encoding encoding) =>
        WholeFileWriter.Write(path, FileMode.Create, contents, encoding);

    /// <inheritdoc cref="File.WriteAllLines(string, IEnumerable{string}, Encoding)"/>
    public static void WriteAllLines(string path, IEnumerable<string> contents, Encoding encoding) =>
        WholeFileWriter.Write(path, FileMode.Create, contents, encoding);

    /// <inheritdoc cref="File.WriteAllLinesAsync(string, IEnumerable{string}, CancellationToken)"/>
    public static Task WriteAllLinesAsync(string path, IEnumerable<string> contents, CancellationToken cancellationToken = default) =>
        WriteLinesAsync(path, contents, DefaultEncoding, isAppending: false, cancellationToken);

    /// <inheritdoc cref="File.WriteAllLinesAsync(string, IEnumerable{string}, Encoding, CancellationToken)"/>
    public static Task WriteAllLinesAsync(
        string path, IEnumerable<string> contents, Encoding encoding, CancellationToken cancellationToken = default) =>
        WriteLinesAsync(path, contents, encoding, isAppending: false, cancellationToken);

    /// <inheritdoc cref="File.AppendAllLines(string, IEnumerable{string})"/>
    public static void AppendAllLines(string path, IEnumerable<string> contents) =>
        WholeFileWriter.Write(path, FileMode.Append, contents, DefaultEncoding);

    /// <inheritdoc cref="File.AppendAllLines(string, IEnumerable{string}, Encoding)"/>
    public static void AppendAllLines(string path, IEnumerable<string> contents, Encoding encoding) =>
        WholeFileWriter.Write(path, FileMode.Append, contents, encoding);

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
            using SluiceHandle handle = OpenToWrite(path, isAppending);
            using TextSink sink = new(handle, encoding, isAppending ? EndOf(handle) : 0);
            try
            {
                long inline = 0;
                foreach (string line in contents)
                {
                    cancellationToken.ThrowIfCancellationRequested();
                    ReadOnlyMemory<char> text = line.AsMemory();
                    if (inline <= InlineLimit.Bytes)
                    {
                        long most = InlineLimit.MaxBytes(encoding, text.Length);
                        inline = most > InlineLimit.Bytes ? most : inline + most + Environment.NewLine.Length;
                        await InlineLimit.LeaveCallerIfAboveAsync(inline);
                    }

                    await sink.AddAsync(text, cancellationToken).ConfigureAwait(false);
                    await sink.AddAsync(Environment.NewLine.AsMemory(), cancellationToken).ConfigureAwait(false);
                }

                cancellationToken.ThrowIfCancellationRequested();
            }
            catch when (!sink.HasFailed)
            {
                // As .NET: the lines before it are in the file.
                await sink.EndAsync(CancellationToken.None).ConfigureAwait(false);
                throw;
            }

            await sink.EndAsync(cancellationToken).ConfigureAwait(false);
            handle.CloseUnshared();
        }
    }

    private static async IAsyncEnumerable<string> EnumerateLinesAsync(
        SluiceHandle opened, string path, Encoding encoding, [EnumeratorCancellation] CancellationToken cancellationToken)
    {
        // The first enumeration uses up the handle; as with .NET, another one opens the file anew.
        using SluiceHandle handle = opened.SafeFileHandle.IsClosed ? WholeFile.Open(path, isAsync: true) : opened;
        using LineDecoder decoder = new(path, encoding);
        byte[] piece = ArrayPool<byte>.Shared.Rent(LinePieceBytes);
        try
        {
            long offset = 0;
            for (bool isLast = false; !isLast;)
            {
                int filled = await FillAsync(handle, piece.AsMemory(0, LinePieceBytes), offset, cancellationToken).ConfigureAwait(false);
                isLast = filled < LinePieceBytes;
                offset += filled;
                decoder.Add(piece.AsSpan(0, filled), isLast);
                while (decoder.TryTake(out string line))
                {
                    cancellationToken.ThrowIfCancellationRequested();
                    yield return line;
                }
            }
        }
        finally
        {
            ArrayPool<byte>.Shared.Return(piece);
        }
    }

    private static void TakeLines(LineDecoder decoder, ReadOnlySpan<byte> piece, bool isLast, List<string> lines)
    {
        decoder.Add(piece, isLast);
        while (decoder.TryTake(out string line))
        {
            lines.Add(line);
        }
    }

    /// <summary>Fills the buffer; less only at the end of the file.</summary>
    private static async ValueTask<int> FillAsync(
        SluiceHandle handle, Memory<byte> buffer, long offset, CancellationToken cancellationToken)
    {
        int filled = 0;
        while (filled < buffer.Length)
        {
            int bytes = await handle.ReadAsync(buffer[filled..], offset + filled, cancellationToken).ConfigureAwait(false);
            if (bytes == 0)
            {
                break;
            }

            filled += bytes;
        }

        return filled;
    }
}
