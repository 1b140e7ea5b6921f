using Sluice.Files;

namespace Sluice;

// Whole files as bytes.
public static partial class SluiceFile
{
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

    // Writes as File does, but throws the error of close(2), which File ignores.
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

    private static SluiceHandle OpenToWrite(string path, bool isAppending, bool isAsync) => SluiceHandle.Open(
        path, isAppending ? FileMode.Append : FileMode.Create, FileAccess.Write, FileShare.Read,
        isAsync ? FileOptions.Asynchronous : FileOptions.None);

    private static long EndOf(SluiceHandle handle) => handle.CanSeek ? handle.Length : 0;
}
