using System.Runtime.CompilerServices;
using System.Text;
using Sluice.Files;
using Sluice.Sequential;

namespace Sluice;

// Whole files as lines.
public static partial class SluiceFile
{
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
            await InlineLimit.LeaveCallerIfAboveAsync(EndOf(reader.SluiceHandle));
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
                    long most = InlineLimit.MaxBytes(encoding, line?.Length ?? 0);
                    inline = most > InlineLimit.Bytes ? most : inline + most + Environment.NewLine.Length;
                    await InlineLimit.LeaveCallerIfAboveAsync(inline);
                }

                await writer.WriteLineAsync(line, cancellationToken).ConfigureAwait(false);
            }

            // File writes the preamble even if there are no lines.
            await writer.WriteAsync("", cancellationToken).ConfigureAwait(false);
            await writer.CompleteAsync(cancellationToken).ConfigureAwait(false);
        }
        catch (OperationCanceledException e) when (!handle.CanSeek)
        {
            // The other end of a pipe may never take what is left.
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
        // The first enumeration uses up the reader; as with .NET, another one opens the file anew.
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
}
