using Sluice.Faults.Child.Support;

namespace Sluice.Faults.Child.Commands;

/// <summary>
/// Ends the process in one of the ways in which processes end, with writes of streams, writers and handles in flight and in buffers. What
/// was acknowledged, by a write or flush that returned, is printed as "file bytes" before the end.
/// </summary>
internal static class ExitCommand
{
    public const int Chunk = 10_007;
    public const int Chunks = 60;

    // What a program forgets about lives until its end.
    private static readonly List<object> Kept = [];

    public static async Task<int> RunAsync(string way, string folder)
    {
        if (way == "handler")
        {
            AppDomain.CurrentDomain.ProcessExit += (_, _) => WriteAtTheEnd(folder);
        }

        foreach (FileCaching caching in (FileCaching[])[FileCaching.Cached, FileCaching.Direct])
        {
            await LeaveAsync(folder, caching);
        }

        Console.Out.Flush();
        switch (way)
        {
            case "exit":
                Environment.Exit(0);
                break;
            case "thread":
                Thread thread = new(static () => throw new InvalidOperationException("nobody catches this"));
                thread.Start();
                thread.Join();
                await Task.Delay(Timeout.Infinite);
                break;
        }

        return 0;
    }

    private static void WriteAtTheEnd(string folder)
    {
        byte[] bytes = Pattern.Bytes(99, Chunk);
        using (SluiceHandle handle = SluiceHandle.Open(Path.Combine(folder, "late-handle"), FileMode.Create, FileAccess.Write))
        {
            handle.WriteAsync(bytes, 0).AsTask().GetAwaiter().GetResult();
            handle.FlushToDiskAsync().AsTask().GetAwaiter().GetResult();
        }

        using (SluiceWriter writer = new(Path.Combine(folder, "late-writer"), new SluiceWriterOptions { Caching = FileCaching.Direct }))
        {
            writer.Write(bytes);
        }

        Console.WriteLine($"late-handle {Chunk}");
        Console.WriteLine($"late-writer {Chunk}");
        Console.Out.Flush();
    }

    private static async Task LeaveAsync(string folder, FileCaching caching)
    {
        string path = Path.Combine(folder, $"handle-{caching}");
        SluiceHandle handle = SluiceHandle.Open(path, FileMode.Create, FileAccess.Write, caching: caching);
        Kept.Add(handle);
        byte[] content = Pattern.Bytes(1, Chunks * Chunk);
        for (int i = 0; i < Chunks; i++)
        {
            ReadOnlyMemory<byte> piece = content.AsMemory(i * Chunk, Chunk);
            if (i < Chunks / 2)
            {
                await handle.WriteAsync(piece, (long)i * Chunk);
            }
            else
            {
                Kept.Add(handle.WriteAsync(piece, (long)i * Chunk).AsTask());
            }
        }

        Console.WriteLine($"handle-{caching} {Chunks / 2 * Chunk}");
        SluiceOptions options = new() { Mode = FileMode.Create, Access = FileAccess.Write, Caching = caching };
        SluiceStream stream = new(Path.Combine(folder, $"stream-{caching}"), options);
        SluiceWriterOptions writing = new() { Caching = caching, RequestSize = 32 * 1024 };
        SluiceWriter writer = new(Path.Combine(folder, $"writer-{caching}"), writing);
        Kept.Add(stream);
        Kept.Add(writer);
        for (int i = 0; i < Chunks; i++)
        {
            await stream.WriteAsync(content.AsMemory(i * Chunk, Chunk));
            await writer.WriteAsync(content.AsMemory(i * Chunk, Chunk));
            if (i == Chunks / 2)
            {
                await stream.FlushAsync();
                await writer.FlushAsync();
                Console.WriteLine($"stream-{caching} {stream.Position}");
                Console.WriteLine($"writer-{caching} {writer.Position}");
            }
        }
    }
}
