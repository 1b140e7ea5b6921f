using Shouldly;
using Sluice.Faults.Child.Conformance;
using Sluice.Faults.Child.Support;
using Sluice.Testing;

namespace Sluice.Faults.Tests.Support;

/// <summary>
/// Workers on one file with faults under it, each in a range of its own that shares its border blocks with the neighbours'. A right
/// result, or one of the plan's exceptions; after every step the worker's range holds what its model holds.
/// </summary>
internal sealed class StormRun(string path, FileCaching caching, FaultyEngine engine, int seed)
{
    private const int Workers = 8;
    private const int Steps = 40;
    private const int RangeBytes = 50_011;

    private const int FirstBytes = 64 * 1024;

    private int _failures;

    /// <summary>How many operations met an exception that the plan had asked for.</summary>
    public int Failures => _failures;

    public string Name => $"seed {seed}, {caching}, {engine.Name}";

    public async Task RunAsync()
    {
        using SluiceHandle handle = Open();
        using SluiceHandle second = Open();
        for (int at = 0; at < Workers * RangeBytes; at += FirstBytes)
        {
            // In parts: a write of many submissions, each of which may fail, hardly ever ends.
            byte[] zeros = new byte[Math.Min(FirstBytes, (Workers * RangeBytes) - at)];
            int begin = at;
            await UntilDoneAsync(() => handle.WriteAsync(zeros, begin));
        }

        byte[][] models = await Task.WhenAll(Enumerable.Range(0, Workers)
            .Select(worker => Task.Run(() => WorkAsync(worker % 3 == 0 ? second : handle, worker))));
        long appended = await AppendAsync(handle);
        await UntilDoneAsync(() => handle.FlushToDiskAsync());
        byte[] content = await File.ReadAllBytesAsync(path);
        content.Length.ShouldBe((int)(Workers * (long)RangeBytes + appended), Name);
        FileModel.ShouldMatch(content.AsSpan(0, Workers * RangeBytes), models.SelectMany(static m => m).ToArray(), Name);
    }

    private SluiceHandle Open() => SluiceHandle.Open(path, new SluiceOptions
    {
        Mode = FileMode.OpenOrCreate,
        Access = FileAccess.ReadWrite,
        Share = FileShare.ReadWrite,
        Caching = caching,
        Engine = engine,
    });

    private async Task<byte[]> WorkAsync(SluiceHandle handle, int worker)
    {
        Random random = new(HashCode.Combine(seed, worker));
        byte[] model = new byte[RangeBytes];
        long start = worker * (long)RangeBytes;
        for (int step = 0; step < Steps; step++)
        {
            int length = random.Next(1, 9000);
            int at = random.Next(RangeBytes - length + 1);
            if (random.Next(3) == 0)
            {
                // Whole blocks of the file, which direct mode sends without a copy.
                long aligned = (start + at + 4095) & ~4095L;
                if (aligned + 4096 <= start + RangeBytes)
                {
                    (at, length) = ((int)(aligned - start), 4096);
                }
            }

            byte[] bytes = Pattern.Bytes(HashCode.Combine(seed, worker, step), length);
            int way = random.Next(6);
            string what = $"{Name}, worker {worker}, step {step}, way {way}, at {at} for {length}";
            switch (way)
            {
                case 0:
                    await UntilDoneAsync(() => { handle.Write(bytes, start + at); return default; });
                    break;
                case 1:
                    await UntilDoneAsync(() => handle.WriteAsync([bytes.AsMemory(0, length / 3), bytes.AsMemory(length / 3)], start + at));
                    break;
                case 2:
                    await UntilDoneAsync(() =>
                    {
                        handle.WriteBatch([new WriteRequest(start + at, bytes.AsMemory(0, length / 2)),
                            new WriteRequest(start + at + length / 2, bytes.AsMemory(length / 2))]);
                        return default;
                    });
                    break;
                case 3:
                    await CancelledNowAndThenAsync(handle, random, bytes, start + at);
                    break;
                default:
                    await UntilDoneAsync(() => handle.WriteAsync(bytes, start + at));
                    break;
            }

            bytes.CopyTo(model, at);
            await CheckAsync(handle, random, model, start, what);
        }

        return model;
    }

    private async Task CheckAsync(SluiceHandle handle, Random random, byte[] model, long start, string what)
    {
        int length = random.Next(1, 20_000);
        int at = random.Next(RangeBytes - length + 1);
        byte[] read = new byte[length];
        int way = random.Next(4);
        await UntilDoneAsync(async () =>
        {
            switch (way)
            {
                case 0:
                    handle.Read(read, start + at).ShouldBe(length, what);
                    break;
                case 1:
                    (await handle.ReadAsync([read.AsMemory(0, length / 3), read.AsMemory(length / 3)], start + at)).ShouldBe(length, what);
                    break;
                case 2:
                    handle.ReadBatch([new ReadRequest(start + at, read.AsMemory(0, length / 2)),
                        new ReadRequest(start + at + length / 2, read.AsMemory(length / 2))]);
                    break;
                default:
                    (await handle.ReadAsync(read, start + at)).ShouldBe(length, what);
                    break;
            }
        });
        FileModel.ShouldMatch(read, model.AsSpan(at, length), $"{what}, read {at} for {length} by way {way}");
    }

    /// <summary>A cancelled write leaves old or new bytes, so it is made again; its buffer is the caller's as soon as its task has
    /// ended.</summary>
    private async Task CancelledNowAndThenAsync(SluiceHandle handle, Random random, byte[] bytes, long offset)
    {
        byte[] buffer = (byte[])bytes.Clone();
        using CancellationTokenSource cancel = new();
        ValueTask task = handle.WriteAsync(buffer, offset, cancel.Token);
        if (random.Next(2) == 0)
        {
            await cancel.CancelAsync();
        }

        try
        {
            await task;
        }
        catch (OperationCanceledException)
        {
        }
        catch (IOException e)
        {
            Expect(e);
        }

        Array.Fill(buffer, (byte)0xEE);
        await UntilDoneAsync(() => handle.WriteAsync(bytes, offset));
    }

    private async Task<long> AppendAsync(SluiceHandle handle)
    {
        long end = handle.Length;
        long begin = end;
        for (int i = 0; i < 30; i++)
        {
            byte[] bytes = Pattern.Bytes(seed + i, 1 + i * 97);
            long landed = 0;
            await UntilDoneAsync(async () => landed = i % 2 == 0 ? handle.AppendAndGetOffset(bytes) : await handle.AppendAndGetOffsetAsync(bytes));

            // A failed append that had written something would show here.
            landed.ShouldBe(end, Name);
            end += bytes.Length;
            handle.Length.ShouldBe(end, Name);
        }

        return end - begin;
    }

    /// <summary>Makes the call again after each failure that the plan asked for.</summary>
    private async Task UntilDoneAsync(Func<ValueTask> call)
    {
        for (int i = 0; ; i++)
        {
            i.ShouldBeLessThan(100, Name);
            try
            {
                await call();
                return;
            }
            catch (IOException e)
            {
                Expect(e);
            }
        }
    }

    private void Expect(IOException e)
    {
        FaultPlan plan = engine.Plan;
        bool asked = (e.HResult == Native.EIO && plan.Eio > 0) || (e.HResult == Native.ENOSPC && plan.Enospc > 0);
        asked.ShouldBeTrue($"{Name}: {e}");
        e.Message.ShouldContain(path);
        Interlocked.Increment(ref _failures);
    }
}
