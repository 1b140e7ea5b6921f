using Microsoft.Win32.SafeHandles;

namespace Sluice.Hostile.Tests.Storms;

/// <summary>
/// A handle that several threads use, each in a part of the file that is its own; parts do not begin at borders of pages. What a call that
/// succeeded wrote is there; of one that was rejected each byte is the old one or the new one from then on; and nothing else changes.
/// </summary>
internal sealed class HandleStorm
{
    private const int Workers = 3;
    private const int Steps = 14;
    private const int Part = 50_001;

    private readonly SluiceHandle _handle;
    private readonly SafeFileHandle _look;
    private readonly StormWorker _worker;
    private readonly Random _random;
    private readonly long _begin;
    private readonly byte[] _expected;

    private HandleStorm(SluiceHandle handle, SafeFileHandle look, StormWorker worker, byte[] expected)
    {
        (_handle, _look, _worker, _random, _expected) = (handle, look, worker, worker.Random, expected);
        _begin = (long)worker.Number * Part;
    }

    public static void Run(StormRound round, FileCaching caching, IoEngine? engine)
    {
        byte[][] parts = [.. Enumerable.Range(0, Workers).Select(i => Bytes.Pattern(Part, i))];
        string path = round.Temp.NewFile([.. parts.SelectMany(p => p)]);
        using (SafeFileHandle look = File.OpenHandle(path, FileMode.Open, FileAccess.Read, FileShare.ReadWrite))
        {
            SluiceHandle handle = SluiceHandle.Open(path, new SluiceOptions
            {
                Access = FileAccess.ReadWrite,
                Share = FileShare.ReadWrite,
                Caching = caching,
                Engine = engine,
                Options = round.Random.Next(2) == 0 ? FileOptions.Asynchronous : FileOptions.None,
            });
            round.Run(Workers, w => new HandleStorm(handle, look, w, parts[w.Number]).Work(), handle.Dispose);
        }

        File.ReadAllBytes(path).ShouldBeBytes([.. parts.SelectMany(p => p)], "the file at the end");
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
        switch (_random.Next(12))
        {
            case 0:
                byte[] written = NextBytes(_random.Next(1, 20_000));
                long at = NextOffset(written.Length);
                SettleWrite(at, written, _worker.Try("Write", () => _handle.Write(written, at)));
                break;
            case 1:
                byte[] read = new byte[_random.Next(1, 20_000)];
                long from = NextOffset(read.Length);
                bool isRead = _worker.Try("Read", () => _handle.Read(read, from).ShouldBe(read.Length));
                SettleRead(from, read, new byte[read.Length], isRead);
                break;
            case 2:
                int length = _random.Next(1, 12_000);
                long hole = NextOffset(length);
                SettleWrite(hole, new byte[length], _worker.Try("PunchHole", () => _handle.PunchHole(hole, length)));
                break;
            case 3 when _random.Next(6) == 0:
                CancellationToken token = _worker.NextToken();
                _worker.TryAsync("FlushDataToDiskAsync", () => _handle.FlushDataToDiskAsync(token).AsTask(), token: token);
                break;
            case 4 or 5:
                WriteList(_random.Next(2) == 0);
                break;
            case 6 or 7:
                ReadList(_random.Next(2) == 0);
                break;
            case 8:
                WriteBatch();
                break;
            case 9:
                ReadBatch();
                break;
            default:
                AtOnce();
                break;
        }
    }

    /// <summary>Several asynchronous transfers in flight.</summary>
    private void AtOnce()
    {
        Countdown countdown = _worker.NextCountdown();
        List<(StormCall Call, StormMemory Memory, bool IsRead)> calls = [];
        foreach ((long at, int length) in NextRanges(_random.Next(1, 5)))
        {
            CancellationToken token = _worker.NextToken();
            bool isRead = _random.Next(2) == 0;
            StormMemory memory = new(_random, countdown, isRead ? new byte[length] : NextBytes(length), at);
            calls.Add((isRead
                ? _worker.Begin("ReadAsync", () => ReadAllAsync(_handle.ReadAsync(memory.Memory, at, token), length), countdown, token)
                : _worker.Begin("WriteAsync", () => _handle.WriteAsync(memory.Memory, at, token).AsTask(), countdown, token),
                memory, isRead));
        }

        foreach ((StormCall call, StormMemory memory, bool isRead) in calls)
        {
            Settle(memory, isRead, _worker.Ends(call));
        }
    }

    private void WriteList(bool isAsync)
    {
        CancellationToken token = isAsync ? _worker.NextToken() : CancellationToken.None;
        Countdown countdown = _worker.NextCountdown();
        List<StormMemory> memories = NextList(countdown, isRead: false);
        HostileList<ReadOnlyMemory<byte>> list = new(countdown, [.. memories.Select(m => (ReadOnlyMemory<byte>)m.Memory)]);
        bool isDone = isAsync
            ? _worker.TryAsync("WriteAsync of a list", () => _handle.WriteAsync(list, memories[0].At, token).AsTask(), countdown, token)
            : _worker.Try("Write of a list", () => _handle.Write(list, memories[0].At), countdown, token);
        memories.ForEach(m => Settle(m, isRead: false, isDone));
    }

    private void ReadList(bool isAsync)
    {
        CancellationToken token = isAsync ? _worker.NextToken() : CancellationToken.None;
        Countdown countdown = _worker.NextCountdown();
        List<StormMemory> memories = NextList(countdown, isRead: true);
        HostileList<Memory<byte>> list = new(countdown, [.. memories.Select(m => m.Memory)]);
        long length = memories.Sum(m => m.Length);
        bool isDone = isAsync
            ? _worker.TryAsync(
                "ReadAsync of a list", () => ReadAllAsync(_handle.ReadAsync(list, memories[0].At, token), length), countdown, token)
            : _worker.Try("Read of a list", () => _handle.Read(list, memories[0].At).ShouldBe(length), countdown, token);
        memories.ForEach(m => Settle(m, isRead: true, isDone));
    }

    private void WriteBatch()
    {
        Countdown countdown = _worker.NextCountdown();
        StormMemory[] memories =
            [.. NextRanges(_random.Next(1, 8)).Select(r => new StormMemory(_random, countdown, NextBytes(r.Length), r.At))];
        WriteRequest[] requests = [.. memories.Select(m => new WriteRequest(m.At, m.Memory))];
        bool isDone = _worker.Try("WriteBatch", () => _handle.WriteBatch(requests), countdown);
        for (int i = 0; i < requests.Length; i++)
        {
            bool isWritten = requests[i].Error is null && requests[i].BytesWritten == memories[i].Length;
            (isWritten || !isDone).ShouldBeTrue("a batch succeeded, and one of its writes did not");
            Settle(memories[i], isRead: false, isWritten);
        }
    }

    private void ReadBatch()
    {
        Countdown countdown = _worker.NextCountdown();
        StormMemory[] memories =
            [.. NextRanges(_random.Next(1, 8)).Select(r => new StormMemory(_random, countdown, new byte[r.Length], r.At))];
        ReadRequest[] requests = [.. memories.Select(m => new ReadRequest(m.At, m.Memory))];
        bool isDone = _worker.Try("ReadBatch", () => _handle.ReadBatch(requests), countdown);
        for (int i = 0; i < requests.Length; i++)
        {
            bool isRead = requests[i].Error is null && requests[i].BytesRead == memories[i].Length;
            (isRead || !isDone).ShouldBeTrue("a batch succeeded, and one of its reads did not");
            Settle(memories[i], isRead: true, isRead);
        }
    }

    private static async Task ReadAllAsync(ValueTask<int> read, long length) =>
        ((long)await read.ConfigureAwait(false)).ShouldBe(length, "bytes of a read");

    private static async Task ReadAllAsync(ValueTask<long> read, long length) =>
        (await read.ConfigureAwait(false)).ShouldBe(length, "bytes of a read");

    private void Settle(StormMemory memory, bool isRead, bool isDone)
    {
        if (isRead)
        {
            SettleRead(memory.At, memory.Content, memory.Before, isDone);
        }
        else
        {
            ((ReadOnlySpan<byte>)memory.Content).ShouldBeBytes(memory.Before, "memory that was to be written");
            SettleWrite(memory.At, memory.Before, isDone);
        }

        memory.Close();
    }

    /// <summary>The call has ended: from here on the bytes are what they are.</summary>
    private void SettleWrite(long at, ReadOnlySpan<byte> written, bool isDone)
    {
        Span<byte> expected = Expected(at, written.Length);
        byte[] found = new byte[written.Length];
        RandomAccess.Read(_look, found, at).ShouldBe(found.Length);
        for (int i = 0; i < found.Length; i++)
        {
            if (found[i] != written[i] && (isDone || found[i] != expected[i]))
            {
                Assert.Fail($"byte {at + i} is {found[i]}, was {expected[i]}, and {written[i]} was "
                    + $"{(isDone ? "written" : "to be written")} from {at} to {at + written.Length}, thread {_worker.Number}");
            }
        }

        found.CopyTo(expected);
    }

    private void SettleRead(long at, ReadOnlySpan<byte> read, ReadOnlySpan<byte> before, bool isDone)
    {
        ReadOnlySpan<byte> expected = Expected(at, read.Length);
        for (int i = 0; i < read.Length; i++)
        {
            if (read[i] != expected[i] && (isDone || read[i] != before[i]))
            {
                Assert.Fail($"byte {at + i} was read as {read[i]}, is {expected[i]}; {(isDone ? "read" : "to be read")} from {at} to "
                    + $"{at + read.Length}, thread {_worker.Number}");
            }
        }
    }

    private Span<byte> Expected(long at, int length) => _expected.AsSpan((int)(at - _begin), length);

    private byte[] NextBytes(int length)
    {
        byte[] bytes = new byte[length];
        _random.NextBytes(bytes);
        return bytes;
    }

    private long NextOffset(int length) => _begin + _random.Next(Part - length + 1);

    /// <summary>Segments of one transfer.</summary>
    private List<StormMemory> NextList(Countdown countdown, bool isRead)
    {
        int count = _random.Next(1, 20);
        int[] lengths = [.. Enumerable.Range(0, count).Select(_ => _random.Next(4) == 0 ? 4096 : _random.Next(1, 3000))];
        while (lengths.Sum() > Part)
        {
            lengths = lengths[..^1];
        }

        long at = NextOffset(lengths.Sum());
        List<StormMemory> memories = [];
        foreach (int length in lengths)
        {
            memories.Add(new StormMemory(_random, countdown, isRead ? new byte[length] : NextBytes(length), at));
            at += length;
        }

        return memories;
    }

    /// <summary>Ranges that do not overlap; some of them are whole pages.</summary>
    private IEnumerable<(long At, int Length)> NextRanges(int count)
    {
        int room = Part / count;
        for (int i = 0; i < count; i++)
        {
            long first = _begin + ((long)i * room);
            long page = (first + 4095) / 4096 * 4096;
            int pages = (int)((first + room - page) / 4096);
            if (pages > 0 && _random.Next(2) == 0)
            {
                yield return (page, 4096 * _random.Next(1, pages + 1));
            }
            else
            {
                int length = _random.Next(1, room + 1);
                yield return (first + _random.Next(room - length + 1), length);
            }
        }
    }
}
