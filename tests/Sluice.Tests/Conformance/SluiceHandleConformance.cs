using Sluice.Testing;
using Xunit.Abstractions;

namespace Sluice.Tests.Conformance;

/// <summary>What every configuration of <see cref="SluiceHandle"/> must do; one small subclass for each engine x caching.</summary>
public abstract partial class SluiceHandleConformance : IDisposable
{
    private readonly TempFolder _temp = new();
    private readonly IoEngine? _engine;
    private readonly FileCaching _caching;

    protected SluiceHandleConformance(ITestOutputHelper output, FileCaching caching, IoEngine? engine)
    {
        _caching = caching;
        _engine = engine;
        if (engine is FaultyEngine faulty)
        {
            output.WriteLine($"fault seed {faulty.Plan.Seed}");
        }
    }

    private bool IsFaulty => _engine is FaultyEngine;

    public void Dispose()
    {
        _temp.Dispose();
        GC.SuppressFinalize(this);
    }

    private SluiceHandle Open(
        string path, FileMode mode = FileMode.Open, FileAccess access = FileAccess.ReadWrite, FileShare share = FileShare.ReadWrite) =>
        SluiceHandle.Open(path, new SluiceOptions { Mode = mode, Access = access, Share = share, Caching = _caching, Engine = _engine });

    private SluiceHandle OpenNew(int length, out byte[] content)
    {
        content = Bytes.Pattern(length);
        return Open(_temp.NewFile(content));
    }

    private static async Task<int> ReadAsync(SluiceHandle handle, Memory<byte> buffer, long offset, bool isAsync) =>
        isAsync ? await handle.ReadAsync(buffer, offset) : handle.Read(buffer.Span, offset);

    private static async Task WriteAsync(SluiceHandle handle, ReadOnlyMemory<byte> buffer, long offset, bool isAsync)
    {
        if (isAsync)
        {
            await handle.WriteAsync(buffer, offset);
        }
        else
        {
            handle.Write(buffer.Span, offset);
        }
    }

    private static async Task<long> ReadAsync(SluiceHandle handle, Memory<byte>[] buffers, long offset, bool isAsync) =>
        isAsync ? await handle.ReadAsync(buffers, offset) : handle.Read(buffers, offset);

    private static async Task WriteAsync(SluiceHandle handle, ReadOnlyMemory<byte>[] buffers, long offset, bool isAsync)
    {
        if (isAsync)
        {
            await handle.WriteAsync(buffers, offset);
        }
        else
        {
            handle.Write(buffers, offset);
        }
    }

    private static async Task<long> AppendAsync(SluiceHandle handle, ReadOnlyMemory<byte> buffer, bool isAsync) =>
        isAsync ? await handle.AppendAndGetOffsetAsync(buffer) : handle.AppendAndGetOffset(buffer.Span);

    /// <summary>What another program sees.</summary>
    private static byte[] Content(SluiceHandle handle)
    {
        using FileStream stream = new(handle.Path, FileMode.Open, FileAccess.Read, FileShare.ReadWrite);
        byte[] content = new byte[stream.Length];
        stream.ReadExactly(content);
        return content;
    }

    /// <summary>The model of a write: zeros where it leaves a gap.</summary>
    private static byte[] Written(byte[] content, ReadOnlySpan<byte> bytes, int offset)
    {
        byte[] result = content;
        if (bytes.Length > 0)
        {
            Array.Resize(ref result, Math.Max(content.Length, offset + bytes.Length));
            result = ReferenceEquals(result, content) ? [.. content] : result;
            bytes.CopyTo(result.AsSpan(offset));
        }

        return result;
    }
}
