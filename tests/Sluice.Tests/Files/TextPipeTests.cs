using System.Text;

namespace Sluice.Tests.Files;

/// <summary>Texts that go to a FIFO: nothing goes out twice.</summary>
public sealed class TextPipeTests : IDisposable
{
    private readonly TempFolder _temp = new();

    public void Dispose() => _temp.Dispose();

    [SkippableTheory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Lines_cancelled_in_the_midst_of_a_FIFO_are_sent_once(bool isAppending)
    {
        Skip.IfNot(OperatingSystem.IsLinux(), "FIFOs");
        string fifo = _temp.NewFifo();
        MarkedEncoding encoding = new(Bytes.Pattern(200_000));
        string[] lines = [.. Enumerable.Range(0, 20_000).Select(i => $"{i} {new string('x', 80)}")];
        byte[] expected = [.. encoding.Preamble, .. encoding.GetBytes(string.Concat(lines.Select(l => l + Environment.NewLine)))];

        // Open for both it waits for nobody, and does not end.
        using FileStream reader = new(fifo, FileMode.Open, FileAccess.ReadWrite, FileShare.ReadWrite, bufferSize: 0);
        using CancellationTokenSource source = new();
        Task call = Task.Run(() => isAppending
            ? SluiceFile.AppendAllLinesAsync(fifo, lines, encoding, source.Token)
            : SluiceFile.WriteAllLinesAsync(fifo, lines, encoding, source.Token));
        while (Native.AvailableBytes(reader.SafeFileHandle) < 65_536)
        {
            await Task.Delay(1);
        }

        await source.CancelAsync();
        byte[] received = await ReadUntilEndOfAsync(call, reader);
        await Should.ThrowAsync<OperationCanceledException>(() => call);
        received.Length.ShouldBeGreaterThanOrEqualTo(65_536);
        received.ShouldBeBytes(expected.AsSpan(0, Math.Min(received.Length, expected.Length)));
    }

    private static async Task<byte[]> ReadUntilEndOfAsync(Task writer, FileStream reader)
    {
        using MemoryStream received = new();
        byte[] buffer = new byte[65_536];
        while (true)
        {
            // In this order: what it has sent before its end is there.
            bool isOver = writer.IsCompleted;
            int there = Native.AvailableBytes(reader.SafeFileHandle);
            if (there > 0)
            {
                received.Write(buffer, 0, reader.Read(buffer, 0, Math.Min(there, buffer.Length)));
            }
            else if (isOver)
            {
                return received.ToArray();
            }
            else
            {
                await Task.Delay(1);
            }
        }
    }

    /// <summary>Its mark makes the first piece longer than what a FIFO takes at once, in Debug builds too.</summary>
    private sealed class MarkedEncoding(byte[] mark) : UTF8Encoding
    {
        public override ReadOnlySpan<byte> Preamble => mark;
    }
}
