using Microsoft.Win32.SafeHandles;

namespace Sluice.Hostile.Tests.Storms;

/// <summary>
/// A stream that one thread uses, one call at a time, while another thread cancels its calls and closes the stream. After each call that
/// was rejected the position says what of it was accepted; what was accepted is in the file in the end; the bytes behind it that the call
/// was to write are the old ones or the new ones; and no others change.
/// </summary>
internal sealed class StreamStorm
{
    private const int Steps = 40;
    private const int MaxLength = 150_000;

    private readonly SluiceStream _stream;
    private readonly SafeFileHandle _look;
    private readonly StormWorker _worker;
    private readonly Random _random;
    private readonly StreamModel _model;

    private StreamStorm(SluiceStream stream, SafeFileHandle look, StormWorker worker, StreamModel model) =>
        (_stream, _look, _worker, _random, _model) = (stream, look, worker, worker.Random, model);

    public static void Run(StormRound round, FileCaching caching, IoEngine? engine)
    {
        string path = round.Temp.NewFile(Bytes.Pattern(60_000));
        StreamModel model = new(Bytes.Pattern(60_000));
        using (SafeFileHandle look = File.OpenHandle(path, FileMode.Open, FileAccess.Read, FileShare.ReadWrite))
        {
            int bufferSize = round.Random.Next(4) switch { 0 => 0, 1 => 4096, _ => SluiceOptions.Adaptive };
            SluiceStream stream = new(path, new SluiceOptions
            {
                Access = FileAccess.ReadWrite,
                Share = FileShare.ReadWrite,
                Caching = caching,
                Engine = engine,
                BufferSize = bufferSize,
                Options = round.Random.Next(2) == 0 ? FileOptions.Asynchronous : FileOptions.None,
            });
            bool isAsync = round.Random.Next(2) == 0;
            round.Run(1, w => new StreamStorm(stream, look, w, model).Work(), () =>
            {
                if (isAsync)
                {
                    stream.DisposeAsync().AsTask().GetAwaiter().GetResult();
                }
                else
                {
                    stream.Dispose();
                }
            });
        }

        model.Check(File.ReadAllBytes(path));
        File.Delete(path);
    }

    private void Work()
    {
        for (int i = 0; i < Steps && !_worker.HasEnded; i++)
        {
            Step();
        }
    }

    private void Step()
    {
        switch (_random.Next(14))
        {
            case 0:
                long target = _random.Next(2) == 0 ? _random.Next(0, (int)_model.Length + 1) : _model.Position;
                if (_worker.Try("Seek", () => _stream.Seek(target, SeekOrigin.Begin).ShouldBe(target)))
                {
                    _model.Position = target;
                }

                break;
            case 1 when _random.Next(3) == 0:
                SetLength(_random.Next(MaxLength));
                break;
            case 2:
                _worker.Try("Flush", _stream.Flush);
                break;
            case 3:
                CancellationToken token = _worker.NextToken();
                _worker.TryAsync("FlushAsync", () => _stream.FlushAsync(token), token: token);
                break;
            case 4:
                Read(_random.Next(1, 20_000));
                break;
            case 5:
                ReadBytes(_random.Next(1, 30));
                break;
            case 6 or 7:
                ReadAsync();
                break;
            case 8:
                WriteNow();
                break;
            case 9:
                WriteBytes(_random.Next(1, 30));
                break;
            default:
                WriteAsync();
                break;
        }
    }

    private void SetLength(long length)
    {
        long before = _model.Length;
        if (_worker.Try("SetLength", () => _stream.SetLength(length)))
        {
            _model.SetLength(length);
        }
        else
        {
            // Closed before it, or behind it.
            _model.MayHaveLength(before, length);
        }
    }

    private void Read(int count)
    {
        byte[] buffer = new byte[count];
        int got = 0;
        bool isDone = _worker.Try("Read", () => got = _stream.Read(buffer));
        SettleRead(buffer, new byte[count], got, isDone);
    }

    private void ReadBytes(int count)
    {
        for (int i = 0; i < count && !_worker.HasEnded; i++)
        {
            int value = -1;
            if (_worker.Try("ReadByte", () => value = _stream.ReadByte()))
            {
                _model.Read(value < 0 ? [] : [(byte)value], 1);
            }
        }
    }

    private void ReadAsync()
    {
        CancellationToken token = _worker.NextToken();
        Countdown countdown = _worker.NextCountdown();
        StormMemory memory = new(_random, countdown, new byte[_random.Next(1, 20_000)], 0);
        StormCall call = _worker.Begin("ReadAsync", () => _stream.ReadAsync(memory.Memory, token).AsTask(), countdown, token);
        bool isDone = _worker.Ends(call);
        SettleRead(memory.Content, memory.Before, isDone ? ((Task<int>)call.Task!).Result : 0, isDone);
        memory.Close();
        CheckPosition();
    }

    private void SettleRead(ReadOnlySpan<byte> read, ReadOnlySpan<byte> before, int got, bool isDone)
    {
        if (isDone)
        {
            _model.Read(read[..got], read.Length);
            read[got..].ShouldBeBytes(before[got..], "behind what was read");
        }
        else
        {
            _model.MayHaveRead(read, before);
        }
    }

    private void WriteNow()
    {
        byte[] bytes = NextBytes(NextLength());
        SettleWrite(_model.Position, bytes, _worker.Try("Write", () => _stream.Write(bytes)));
    }

    private void WriteBytes(int count)
    {
        for (int i = 0; i < count && !_worker.HasEnded; i++)
        {
            byte[] one = NextBytes(1);
            SettleWrite(_model.Position, one, _worker.Try("WriteByte", () => _stream.WriteByte(one[0])));
        }
    }

    private void WriteAsync()
    {
        CancellationToken token = _worker.NextToken();
        Countdown countdown = _worker.NextCountdown();
        StormMemory memory = new(_random, countdown, NextBytes(NextLength()), 0);
        StormCall call = _worker.Begin("WriteAsync", () => _stream.WriteAsync(memory.Memory, token).AsTask(), countdown, token);
        bool isDone = _worker.Ends(call);
        memory.Close();
        SettleWrite(_model.Position, memory.Before.ToArray(), isDone);
    }

    /// <summary>A rejected write accepted as many bytes as the position moved.</summary>
    private void SettleWrite(long from, byte[] bytes, bool isDone)
    {
        if (isDone)
        {
            _model.Write(bytes, bytes.Length);
            CheckPosition();
            return;
        }

        long position = 0;
        if (_worker.HasEnded || !_worker.Try("Position", () => position = _stream.Position))
        {
            // The stream is closed and cannot be asked how much it accepted.
            _model.MayHaveWritten(bytes);
            return;
        }

        long accepted = position - from;
        accepted.ShouldBeInRange(0, bytes.Length, $"bytes of {bytes.Length} that a rejected write accepted");
        Look(from, bytes, position);
        _model.Write(bytes, (int)accepted);
        CheckPosition();
    }

    /// <summary>What of a rejected write stands in the file from some place on; that stays so.</summary>
    private void Look(long at, byte[] rejected, long from)
    {
        byte[] found = new byte[Math.Max(0, at + rejected.Length - from)];
        int count = found.Length == 0 ? 0 : RandomAccess.Read(_look, found, from);
        _model.Found(found.AsSpan(0, count), rejected.AsSpan(rejected.Length - found.Length), from);
    }

    private void CheckPosition()
    {
        if (!_worker.HasEnded)
        {
            _worker.Try("Position", () => _stream.Position.ShouldBe(_model.Position, "the position"));
        }

        if (!_worker.HasEnded)
        {
            _worker.Try("Length", () => _stream.Length.ShouldBe(_model.Length, "the length"));
        }
    }

    private int NextLength() =>
        _random.Next(3) switch { 0 => _random.Next(1, 100), 1 => _random.Next(1, 9000), _ => _random.Next(1, 30_000) };

    private byte[] NextBytes(int length)
    {
        byte[] bytes = new byte[length];
        _random.NextBytes(bytes);
        return bytes;
    }
}
