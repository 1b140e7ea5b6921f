using Shouldly;
using Sluice.Faults.Child.Conformance;
using Sluice.Faults.Child.Support;
using Sluice.Faults.Tests.Support;
using Xunit;

namespace Sluice.Faults.Tests;

/// <summary>A block device has no length of its own for statx, and ends in the middle of a transfer all the same.</summary>
[Trait("Tier", "slow")]
public sealed class BlockDeviceTests
{
    private const int Size = 1 << 20;

    public static TheoryData<FileCaching, int, string> Cases()
    {
        TheoryData<FileCaching, int, string> cases = [];
        foreach (FileCaching caching in Enum.GetValues<FileCaching>())
        {
            foreach (int blockBytes in (int[])[512, 4096])
            {
                foreach (string engine in TestedEngines.Names)
                {
                    cases.Add(caching, blockBytes, engine);
                }
            }
        }

        return cases;
    }

    [SkippableTheory]
    [MemberData(nameof(Cases))]
    public async Task Transfers_at_odd_places_are_right_up_to_the_end(FileCaching caching, int blockBytes, string engine)
    {
        Skip.If(LoopDevice.Refusal is not null, LoopDevice.Refusal);
        using LoopDevice device = new(Size, blockBytes);
        using SluiceHandle handle = SluiceHandle.Open(device.Path, new SluiceOptions
        {
            Access = FileAccess.ReadWrite,
            Share = FileShare.ReadWrite,
            Caching = caching,
            Engine = engine == "pool" ? SluiceEngines.Pool : null,
        });
        handle.Caching.ShouldBe(caching, handle.CachingReason);
        byte[] model = Pattern.Bytes(1, Size);
        await handle.WriteAsync(model, 0);
        Random random = new(blockBytes);
        for (int i = 0; i < 80; i++)
        {
            byte[] bytes = Pattern.Bytes(i, random.Next(1, 20_000));
            int at = i % 10 == 0 ? Size - bytes.Length : random.Next(Size - bytes.Length);
            string what = $"step {i}, at {at} for {bytes.Length}";
            switch (i % 4)
            {
                case 0:
                    handle.Write(bytes, at);
                    break;
                case 1:
                    await handle.WriteAsync(bytes, at);
                    break;
                case 2:
                    await handle.WriteAsync([bytes.AsMemory(0, bytes.Length / 3), bytes.AsMemory(bytes.Length / 3)], at);
                    break;
                default:
                    handle.WriteBatch([new WriteRequest(at, bytes)]);
                    break;
            }

            bytes.CopyTo(model, at);
            int from = i % 5 == 0 ? Size - random.Next(1, 9000) : random.Next(Size);
            byte[] read = new byte[random.Next(1, 120_000)];
            int expected = Math.Min(read.Length, Size - from);
            int got = (i % 3) switch
            {
                0 => handle.Read(read, from),
                1 => await handle.ReadAsync(read, from),
                _ => (int)await handle.ReadAsync([read.AsMemory(0, read.Length / 2), read.AsMemory(read.Length / 2)], from),
            };
            got.ShouldBe(expected, $"{what}: read {from} for {read.Length}");
            FileModel.ShouldMatch(read.AsSpan(0, got), model.AsSpan(from, got), what);
            ReadRequest[] batch =
                [new ReadRequest(from, new byte[5000]), new ReadRequest(Size - 100, new byte[500]), new ReadRequest(Size, new byte[9])];
            handle.ReadBatch(batch);
            batch.Select(static b => b.BytesRead).ShouldBe([Math.Min(5000, Size - from), 100, 0], what);
            FileModel.ShouldMatch(batch[0].Buffer.Span[..batch[0].BytesRead], model.AsSpan(from, batch[0].BytesRead), what);
        }

        await handle.FlushToDiskAsync();
        byte[] whole = new byte[Size];
        using (FileStream plain = new(device.Path, FileMode.Open, FileAccess.Read, FileShare.ReadWrite, 0))
        {
            plain.ReadExactly(whole);
        }

        FileModel.ShouldMatch(whole, model, "device as System.IO reads it");

        // Behind the end there is no space, whatever the way; what lies before it stays.
        byte[] over = new byte[5000];
        Should.Throw<IOException>(() => handle.Write(over, Size)).HResult.ShouldBe(Native.ENOSPC);
        (await Should.ThrowAsync<IOException>(async () => await handle.WriteAsync(over, Size + 4096))).HResult.ShouldBe(Native.ENOSPC);
        FileModel.ShouldMatch(whole.AsSpan(0, handle.Read(whole, 0)), model, "after refused writes");
    }
}
