namespace Sluice.Tests.Streams;

/// <summary>Calls of a stream in their synchronous or their asynchronous form.</summary>
internal static class StreamCalls
{
    public static async Task<int> ReadAsync(this Stream stream, Memory<byte> buffer, bool isAsync) =>
        isAsync ? await stream.ReadAsync(buffer) : stream.Read(buffer.Span);

    public static async Task WriteAsync(this Stream stream, ReadOnlyMemory<byte> bytes, bool isAsync)
    {
        if (isAsync)
        {
            await stream.WriteAsync(bytes);
        }
        else
        {
            stream.Write(bytes.Span);
        }
    }

    /// <summary>A synchronous flush runs on a thread of the pool, so that its error is the task's.</summary>
    public static Task FlushAsync(this Stream stream, bool isAsync) => isAsync ? stream.FlushAsync() : Task.Run(stream.Flush);

    public static async Task CloseAsync(this Stream stream, bool isAsync)
    {
        if (isAsync)
        {
            await stream.DisposeAsync();
        }
        else
        {
            stream.Dispose();
        }
    }
}
