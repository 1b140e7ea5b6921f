using System.Globalization;
using System.Text;

namespace Sluice.Hostile.Tests.Storms;

/// <summary>
/// A reader that one thread uses while another one interrupts it, cancels its calls and closes it. Every byte that it gives is the file's,
/// in order, and stays so as long as the caller may look at it; after a call that was rejected it stands where it stood.
/// </summary>
internal sealed class ReaderStorm
{
    private const int Steps = 60;
    private static readonly byte[] Content = MakeContent();

    private readonly SluiceReader _reader;
    private readonly StormWorker _worker;
    private readonly Random _random;
    private long _position;

    private ReaderStorm(SluiceReader reader, StormWorker worker) => (_reader, _worker, _random) = (reader, worker, worker.Random);

    public static void Run(StormRound round, FileCaching caching, IoEngine? engine)
    {
        string path = round.Temp.NewFile(Content);
        SluiceReader reader = new(path, new SluiceReaderOptions
        {
            Caching = caching,
            Engine = engine,
            RequestSize = round.Random.Next(3) == 0 ? 0 : 4096 * round.Random.Next(1, 5),
            Depth = round.Random.Next(1, 5),
        });
        round.Run(1, w => new ReaderStorm(reader, w).Work(), reader.Dispose);
        File.Delete(path);
    }

    private void Work()
    {
        for (int i = 0; i < Steps && !_worker.HasEnded; i++)
        {
            Step();
            if (!_worker.HasEnded)
            {
                _reader.Position.ShouldBe(_position, "where the reader stands");
            }
        }
    }

    private void Step()
    {
        CancellationToken token = _worker.NextToken();
        switch (_random.Next(8))
        {
            case 0:
                long target = _random.Next(Content.Length + 1);
                if (_worker.Try("Seek", () => _reader.Seek(target)))
                {
                    _position = target;
                }

                break;
            case 1 or 2:
                _worker.Try("TryReadBlock", () => Take(_reader.TryReadBlock(out ReadOnlySpan<byte> block, token), block), token: token);
                break;
            case 3 or 4:
                ReadOnlyMemory<byte> read = default;
                if (_worker.TryAsync(
                    "ReadBlockAsync", async () => read = await _reader.ReadBlockAsync(token).ConfigureAwait(false), token: token))
                {
                    Take(!read.IsEmpty, read.Span);
                }

                break;
            case 5:
                _worker.Try("TryReadLine", () => TakeLine(_reader.TryReadLine(out ReadOnlySpan<byte> line, token), line), token: token);
                break;
            case 6:
                ReadExactly(token);
                break;
            default:
                _worker.Try("EnumerateLines", () =>
                {
                    int count = 0;
                    foreach (ReadOnlySpan<byte> line in _reader.EnumerateLines(token))
                    {
                        TakeLine(true, line);
                        if (++count == 20)
                        {
                            return;
                        }
                    }

                    _position.ShouldBe(Content.Length, "the end of the lines");
                }, token: token);
                break;
        }
    }

    private void ReadExactly(CancellationToken token)
    {
        byte[] buffer = new byte[_random.Next(1, 15_000)];
        if (_position + buffer.Length > Content.Length)
        {
            return;
        }

        if (_worker.Try("ReadExactly", () => _reader.ReadExactly(buffer, token), token: token))
        {
            buffer.ShouldBeBytes(Content.AsSpan((int)_position, buffer.Length), $"bytes at {_position}");
            _position += buffer.Length;
        }
    }

    private void Take(bool isThere, ReadOnlySpan<byte> block)
    {
        if (!isThere)
        {
            _position.ShouldBe(Content.Length, "a false end");
            return;
        }

        block.ShouldBeBytes(Content.AsSpan((int)_position, block.Length), $"a block at {_position}");
        if (_random.Next(4) == 0)
        {
            // Whoever closes the reader meanwhile gives its memory to nobody else.
            Thread.Yield();
            block.ShouldBeBytes(Content.AsSpan((int)_position, block.Length), $"a block at {_position}, a moment later");
        }

        _position += block.Length;
    }

    private void TakeLine(bool isThere, ReadOnlySpan<byte> line)
    {
        if (!isThere)
        {
            _position.ShouldBe(Content.Length, "a false end");
            return;
        }

        line.ShouldBeBytes(Content.AsSpan((int)_position, line.Length), $"a line at {_position}");
        Content[_position + line.Length].ShouldBe((byte)'\n', $"the end of the line at {_position}");
        _position += line.Length + 1;
    }

    private static byte[] MakeContent()
    {
        StringBuilder text = new();
        for (int i = 0; text.Length < 120_000; i++)
        {
            text.Append(CultureInfo.InvariantCulture, $"line {i} {new string((char)('a' + (i % 26)), i * 7 % 120)}\n");
        }

        return Encoding.ASCII.GetBytes(text.ToString());
    }
}
