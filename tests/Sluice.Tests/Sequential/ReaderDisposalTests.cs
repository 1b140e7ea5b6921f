using System.Text;

namespace Sluice.Tests.Sequential;

/// <summary>A reader that another thread disposes of during a call: no byte of another file, no false end, and then an exception.</summary>
public sealed class ReaderDisposalTests : IDisposable
{
    private const int LineBytes = 50;
    private const int Bytes = 8_000 * LineBytes;

    private readonly TempFolder _temp = new();

    public void Dispose() => _temp.Dispose();

    [Theory]
    [InlineData("blocks", FileCaching.Cached)]
    [InlineData("blocks", FileCaching.Direct)]
    [InlineData("blocks, async", FileCaching.Direct)]
    [InlineData("lines", FileCaching.Cached)]
    [InlineData("bytes", FileCaching.Direct)]
    public async Task A_call_ends_with_ObjectDisposedException(string how, FileCaching caching)
    {
        string path = FileOf('a');
        string other = FileOf('b');
        for (int round = 0; round < 10; round++)
        {
            SluiceReader reader = SequentialCases.Reader(path, "own", caching, 8192, 3);
            using ManualResetEventSlim started = new();
            int delay = round * 100;
            Task disposing = Task.Run(() =>
            {
                started.Wait();
                Thread.SpinWait(delay);
                reader.Dispose();

                // Gets the memory that the first reader returned, and fills it.
                using SluiceReader next = SequentialCases.Reader(other, "own", caching, 8192, 3);
                while (next.TryReadBlock(out _))
                {
                }
            });
            await Should.ThrowAsync<ObjectDisposedException>(() => ReadOverAndOverAsync(reader, how, started), $"round {round}");
            await disposing;
        }
    }

    private string FileOf(char letter) =>
        _temp.NewFile(Encoding.ASCII.GetBytes(string.Concat(Enumerable.Repeat(new string(letter, LineBytes - 1) + "\n", Bytes / LineBytes))));

    private static async Task ReadOverAndOverAsync(SluiceReader reader, string how, ManualResetEventSlim started)
    {
        byte[] buffer = new byte[1000];
        while (true)
        {
            int count = 0;
            switch (how)
            {
                case "blocks":
                    while (reader.TryReadBlock(out ReadOnlySpan<byte> block))
                    {
                        count += Count(block);
                    }

                    break;
                case "blocks, async":
                    while (await reader.ReadBlockAsync() is { IsEmpty: false } block)
                    {
                        count += Count(block.Span);
                    }

                    break;
                case "lines":
                    foreach (ReadOnlySpan<byte> line in reader.EnumerateLines())
                    {
                        count += Count(line) + 1;
                    }

                    break;
                default:
                    for (int read; (read = reader.Read(buffer)) > 0;)
                    {
                        count += Count(buffer.AsSpan(0, read));
                    }

                    break;
            }

            count.ShouldBe(Bytes, "a false end");
            reader.Seek(0);
        }

        int Count(ReadOnlySpan<byte> bytes)
        {
            started.Set();
            bytes.ContainsAnyExcept("a\n"u8).ShouldBeFalse("a byte of another file");
            return bytes.Length;
        }
    }
}
