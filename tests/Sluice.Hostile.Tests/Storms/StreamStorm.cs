using Microsoft.Win32.SafeHandles;

namespace Sluice.Hostile.Tests.Storms;

/// <summary>
/// A stream that one thread uses while another one interrupts it, cancels its calls and closes the stream. After each call that was
/// rejected the position says what of it was accepted; what was accepted is in the file in the end; the bytes behind it that the call was
/// to write are the old ones or the new ones; and no others change.
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

    /// <summary>Without a buffer each call takes its place when it begins, and what is rejected leaves a gap: one at a time.</summary>
    private readonly int _maxAtOnce;

    private StreamStorm(SluiceStream stream, SafeFileHandle look, StormWorker worker, StreamModel model, bool isBuffered)
    {
        (_stream, _look, _worker, _random, _model) = (stream, look, worker, worker.Random, model);
        _maxAtOnce = isBuffered ? 3 : 1;
    }

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
            round.Run(1, w => new StreamStorm(stream, look, w, model, isBuffered: bufferSize != 0).Work(), () =>
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
                ReadAtOnce();
                break;
            case 8:
                WriteNow();
                break;
            case 9:
                WriteBytes(_random.Next(1, 30));
                break;
            default:
                WriteAtOnce();
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

    /// <summary>Some reads that are begun one after another; a token for one of them at most.</summary>
    private void ReadAtOnce()
    {
        List<(StormCall Call, StormMemory Memory)> calls = [];
        int count = _random.Next(1, _maxAtOnce + 1);
        int risky = _random.Next(count);
        for (int i = 0; i < count; i++)
        {
            CancellationToken token = i == risky ? _worker.NextToken() : CancellationToken.None;
            Countdown countdown = i == risky ? _worker.NextCountdown() : new Countdown(int.MaxValue, ThrownKind.Ordinary);
            StormMemory memory = new(_random, countdown, new byte[_random.Next(1, 20_000)], 0);
            calls.Add((_worker.Begin("ReadAsync", () => _stream.ReadAsync(memory.Memory, token).AsTask(), countdown, token), memory));
        }

        foreach ((StormCall call, StormMemory memory) in calls)
        {
            bool isDone = _worker.Ends(call);
            SettleRead(memory.Content, memory.Before, isDone ? ((Task<int>)call.Task!).Result : 0, isDone);
            memory.Close();
        }

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
        long from = _model.Position;
        bool isDone = _worker.Try("Write", () => _stream.Write(bytes));
        SettleWrites(from, [(bytes, isDone)]);
    }

    private void WriteBytes(int count)
    {
        for (int i = 0; i < count && !_worker.HasEnded; i++)
        {
            byte[] one = NextBytes(1);
            long from = _model.Position;
            SettleWrites(from, [(one, _worker.Try("WriteByte", () => _stream.WriteByte(one[0])))]);
        }
    }

    /// <summary>
    /// Some writes that are begun one after another, a token for one of them at most, and perhaps a synchronous call behind them.
    /// </summary>
    private void WriteAtOnce()
    {
        long from = _model.Position;
        List<(StormCall Call, StormMemory Memory)> calls = [];
        int count = _random.Next(1, _maxAtOnce + 1);
        int risky = _random.Next(count);
        for (int i = 0; i < count; i++)
        {
            CancellationToken token = i == risky ? _worker.NextToken() : CancellationToken.None;
            Countdown countdown = i == risky ? _worker.NextCountdown() : new Countdown(int.MaxValue, ThrownKind.Ordinary);
            StormMemory memory = new(_random, countdown, NextBytes(NextLength()), 0);
            calls.Add((_worker.Begin("WriteAsync", () => _stream.WriteAsync(memory.Memory, token).AsTask(), countdown, token), memory));
        }

        if (_random.Next(3) == 0)
        {
            _worker.Try("Flush behind writes", _stream.Flush);
        }

        List<(byte[], bool)> writes = [];
        foreach ((StormCall call, StormMemory memory) in calls)
        {
            writes.Add((memory.Before.ToArray(), _worker.Ends(call)));
            memory.Close();
        }

        SettleWrites(from, writes);
    }

    /// <summary>Of one that was rejected as much was accepted as the position moved beyond the others.</summary>
    private void SettleWrites(long from, List<(byte[] Bytes, bool IsDone)> writes)
    {
        if (writes.TrueForAll(w => w.IsDone))
        {
            writes.ForEach(w => _model.Write(w.Bytes, w.Bytes.Length));
            CheckPosition();
            return;
        }

        long position = 0;
        if (_worker.HasEnded || !_worker.Try("Position", () => position = _stream.Position))
        {
            // Closed: how much of those that were rejected was accepted, nobody knows.
            _model.MayHaveWritten(from, writes);
            return;
        }

        long accepted = position - from - writes.Where(w => w.IsDone).Sum(w => (long)w.Bytes.Length);
        byte[] rejected = writes.Single(w => !w.IsDone).Bytes;
        accepted.ShouldBeInRange(0, rejected.Length, $"bytes of {rejected.Length} that a rejected write accepted");
        long at = from;
        foreach ((byte[] bytes, bool isDone) in writes)
        {
            if (!isDone)
            {
                // Behind the last byte of all, what it was to write may stand in the file.
                Look(at, rejected, Math.Max(position, at + accepted));
            }

            _model.Write(bytes, isDone ? bytes.Length : (int)accepted);
            at = _model.Position;
        }

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
