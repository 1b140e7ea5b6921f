namespace Sluice.Tests.Model;

/// <summary>The steps in which several transfers are in flight: on disjoint ranges, so that there is one right outcome.</summary>
internal sealed partial class HandleModel
{
    private const int MaxRanges = 8;

    private readonly List<(int Offset, Memory<byte> Buffer)> _reads = [];
    private readonly List<(int Offset, ReadOnlyMemory<byte> Bytes)> _writes = [];

    /// <summary>Asynchronous readers and writers side by side; neighbours often share a block.</summary>
    private async Task ConcurrentRangesAsync()
    {
        Doing("concurrent ranges", 0, 0);
        PlanRanges();
        Task<int>[] reads = new Task<int>[_reads.Count];
        Task[] writes = new Task[_writes.Count];
        for (int i = 0; i < Math.Max(reads.Length, writes.Length); i++)
        {
            if (i < writes.Length)
            {
                writes[i] = _handle.WriteAsync(_writes[i].Bytes, _writes[i].Offset).AsTask();
            }

            if (i < reads.Length)
            {
                reads[i] = _handle.ReadAsync(_reads[i].Buffer, _reads[i].Offset).AsTask();
            }
        }

        await Task.WhenAll(writes);
        await Task.WhenAll(reads);
        CheckRanges(reads);
    }

    /// <summary>The same by synchronous calls on several threads.</summary>
    private async Task ConcurrentThreadsAsync()
    {
        Doing("concurrent threads", 0, 0);
        PlanRanges();
        Task[] writes = [.. _writes.Select(w => Task.Run(() => _handle.Write(w.Bytes.Span, w.Offset)))];
        Task<int>[] reads = [.. _reads.Select(r => Task.Run(() => _handle.Read(r.Buffer.Span, r.Offset)))];
        await Task.WhenAll(writes);
        await Task.WhenAll(reads);
        CheckRanges(reads);
    }

    private void PlanRanges()
    {
        _reads.Clear();
        _writes.Clear();
        int used = 0;
        int offset = _random.Next(_length + 1);
        int ranges = _random.Next(1, MaxRanges);
        for (int i = 0; i < ranges && offset < MaxBytes; i++)
        {
            int length = SomeLength(offset);
            if (offset + length > _length || _random.Next(2) == 0)
            {
                _writes.Add((offset, SomeBytes(length)));
            }
            else
            {
                _reads.Add((offset, SomeTarget(length, ref used)));
            }

            offset += length;
        }
    }

    private void CheckRanges(Task<int>[] reads)
    {
        for (int i = 0; i < reads.Length; i++)
        {
            CheckRead(reads[i].GetAwaiter().GetResult(), _reads[i].Buffer, _reads[i].Offset, _length);
        }

        foreach ((int offset, ReadOnlyMemory<byte> bytes) in _writes)
        {
            Book(bytes, offset);
        }
    }

    /// <summary>Appends at once: where they landed must tile the end of the file.</summary>
    private async Task ConcurrentAppendsAsync()
    {
        Doing("concurrent appends", _length, 0);
        List<(ReadOnlyMemory<byte> Bytes, Task<long> Landed)> appends = [];
        int room = MaxBytes - _length;
        for (int i = _random.Next(1, 6); i > 0; i--)
        {
            ReadOnlyMemory<byte> bytes = SomeBytes(Math.Min(1 + SomeLength(0), room));
            if (bytes.Length == 0)
            {
                break;
            }

            room -= bytes.Length;
            appends.Add((bytes, _handle.AppendAndGetOffsetAsync(bytes).AsTask()));
        }

        await Task.WhenAll(appends.Select(a => a.Landed));
        appends.Sort((a, b) => a.Landed.Result.CompareTo(b.Landed.Result));
        foreach ((ReadOnlyMemory<byte> bytes, Task<long> landed) in appends)
        {
            if (landed.Result != _length)
            {
                throw Wrong($"an append of {bytes.Length} bytes landed at {landed.Result}");
            }

            Book(bytes, _length);
        }
    }
}
