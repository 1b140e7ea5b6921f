using System.Runtime.InteropServices;
using Sluice.Testing;

namespace Sluice.Tests.Engines;

/// <summary>Transfers by address: the same bytes as by spans, none beside them, and no object for a transfer.</summary>
[Trait("Tier", "slow")]
public sealed class NativeMemoryTests : IDisposable
{
    private const int Size = 3_000_000;
    private const byte Beside = 0xA5;

    private readonly TempFolder _temp = new();
    private readonly nint _memory = Allocate();

    public void Dispose()
    {
        Free(_memory);
        _temp.Dispose();
    }

    public static TheoryData<FileCaching, bool, int, int, long> Cases
    {
        get
        {
            TheoryData<FileCaching, bool, int, int, long> data = [];
            foreach (FileCaching caching in (FileCaching[])[FileCaching.Cached, FileCaching.Direct])
            {
                data.Add(caching, false, 0, 8192, 4096);
                data.Add(caching, true, 1, 5000, 77);
                data.Add(caching, true, 4096, 2_500_000, 8192);
                data.Add(caching, false, 13, 2_500_001, 4095);
            }

            return data;
        }
    }

    [Theory]
    [MemberData(nameof(Cases))]
    public async Task Bytes_go_where_they_should_and_nowhere_else(
        FileCaching caching, bool hasFaults, int addressOffset, int length, long fileOffset)
    {
        byte[] model = Bytes.Pattern(Size);
        string path = _temp.NewFile(model);
        FaultPlan plan = new(5) { ShortTransfer = 0.3, Eintr = 0.1, Delay = 0.05, MaxDelayMs = 1 };
        using SluiceHandle handle = SluiceHandle.Open(path, new SluiceOptions
        {
            Access = FileAccess.ReadWrite,
            Caching = caching,
            Engine = hasFaults ? new FaultyEngine(plan) : null,
        });
        nint address = _memory + addressOffset;
        for (int round = 0; round < 4; round++)
        {
            Span().Fill(Beside);
            bool isAsync = round % 2 == 1;
            long read = isAsync
                ? await handle.ReadAsync(address, (nuint)length, fileOffset)
                : handle.Read(address, (nuint)length, fileOffset);
            long expected = Math.Min(length, Size - fileOffset);
            read.ShouldBe(expected);
            Part(addressOffset, (int)expected).ShouldBeBytes(model.AsSpan((int)fileOffset, (int)expected));
            ShouldBeUntouched(addressOffset, (int)expected);

            byte[] bytes = [.. Bytes.Pattern(length + round).AsSpan(round)];
            bytes.CopyTo(Part(addressOffset, length));
            if (isAsync)
            {
                await handle.WriteAsync(address, (nuint)length, fileOffset);
            }
            else
            {
                handle.Write(address, (nuint)length, fileOffset);
            }

            bytes.CopyTo(model.AsSpan((int)fileOffset));
            Part(addressOffset, length).ShouldBeBytes(bytes);
            ShouldBeUntouched(addressOffset, length);
            File.ReadAllBytes(path).ShouldBeBytes(model);
        }
    }

    [Fact]
    public async Task The_end_of_the_file_and_nothing_are_as_for_spans()
    {
        using SluiceHandle handle = Open(FileAccess.ReadWrite);
        nint address = _memory;
        handle.Read(address, 100, Size - 30).ShouldBe(30);
        (await handle.ReadAsync(address, 100, Size - 30)).ShouldBe(30);
        handle.Read(address, 100, Size).ShouldBe(0);
        (await handle.ReadAsync(address, 100, Size + 5)).ShouldBe(0);
        handle.Read(0, 0, 10).ShouldBe(0);
        (await handle.ReadAsync(0, 0, 10)).ShouldBe(0);
        handle.Write(0, 0, Size + 100);
        await handle.WriteAsync(0, 0, Size + 100);
        handle.Length.ShouldBe(Size);
    }

    [Fact]
    public async Task What_cannot_be_is_told_of_before_anything_is_touched()
    {
        using SluiceHandle handle = Open(FileAccess.ReadWrite);
        nint address = _memory;
        Should.Throw<ArgumentNullException>(() => handle.Read(0, 10, 0)).ParamName.ShouldBe("buffer");
        Should.Throw<ArgumentNullException>(() => handle.Write(0, 10, 0));
        await Should.ThrowAsync<ArgumentNullException>(async () => await handle.ReadAsync(0, 10, 0));
        await Should.ThrowAsync<ArgumentNullException>(async () => await handle.WriteAsync(0, 10, 0));
        Should.Throw<ArgumentOutOfRangeException>(() => handle.Read(address, nuint.MaxValue, 0)).ParamName.ShouldBe("length");
        Should.Throw<ArgumentOutOfRangeException>(() => handle.Read(-4096, 8192, 0));
        Should.Throw<ArgumentOutOfRangeException>(() => handle.Read(address, 10, -1));
        await Should.ThrowAsync<ArgumentOutOfRangeException>(async () => await handle.WriteAsync(address, 10, -1));
        using CancellationTokenSource source = new();
        source.Cancel();
        await Should.ThrowAsync<OperationCanceledException>(async () => await handle.ReadAsync(address, 10, 0, source.Token));
        await Should.ThrowAsync<OperationCanceledException>(async () => await handle.WriteAsync(address, 10, 0, source.Token));
        handle.Dispose();
        Should.Throw<ObjectDisposedException>(() => handle.Read(address, 10, 0));
        await Should.ThrowAsync<ObjectDisposedException>(async () => await handle.ReadAsync(address, 10, 0));
        using SluiceHandle reading = Open(FileAccess.Read);
        const string text = "failed: the handle was not opened for writing.";
        Should.Throw<UnauthorizedAccessException>(() => reading.Write(address, 10, 0)).Message.ShouldContain(text);
        (await Should.ThrowAsync<UnauthorizedAccessException>(async () => await reading.WriteAsync(address, 10, 0)))
            .Message.ShouldContain(text);
    }

    [Theory]
    [InlineData(FileCaching.Cached)]
    [InlineData(FileCaching.Direct)]
    public void A_transfer_allocates_nothing(FileCaching caching)
    {
        using SluiceHandle handle = Open(FileAccess.ReadWrite, caching);
        nint address = _memory;
        Span().Fill(Beside);
        long sum = 0;
        for (int i = 0; i < 50; i++)
        {
            Transfer();
        }

        // One more is made now and then, for keeps, where the engine's thread has not given the last one back yet. What each transfer
        // allocated would show in every round.
        long least = long.MaxValue;
        for (int round = 0; round < 5; round++)
        {
            long before = GC.GetAllocatedBytesForCurrentThread();
            for (int i = 0; i < 50; i++)
            {
                Transfer();
            }

            least = Math.Min(least, GC.GetAllocatedBytesForCurrentThread() - before);
        }

        least.ShouldBe(0);
        sum.ShouldBe(300 * 2 * 4096);

        void Transfer()
        {
            handle.Write(address, 4096, 8192);
            sum += handle.Read(address, 4096, 8192);
            ValueTask writing = handle.WriteAsync(address, 4096, 8192);
            while (!writing.IsCompleted)
            {
                Thread.Yield();
            }

            writing.GetAwaiter().GetResult();
            ValueTask<long> reading = handle.ReadAsync(address, 4096, 8192);
            while (!reading.IsCompleted)
            {
                Thread.Yield();
            }

            sum += reading.GetAwaiter().GetResult();
        }
    }

    private SluiceHandle Open(FileAccess access, FileCaching caching = FileCaching.Cached) =>
        SluiceHandle.Open(_temp.NewFile(Size), access: access, caching: caching);

    private static unsafe nint Allocate() => (nint)NativeMemory.AlignedAlloc(Size + 8192, 4096);

    private static unsafe void Free(nint memory) => NativeMemory.AlignedFree((void*)memory);

    private unsafe Span<byte> Span() => new((void*)_memory, Size + 8192);

    private Span<byte> Part(int offset, int length) => Span().Slice(offset, length);

    private void ShouldBeUntouched(int offset, int length)
    {
        Span()[..offset].ContainsAnyExcept(Beside).ShouldBeFalse("before the memory");
        Span()[(offset + length)..].ContainsAnyExcept(Beside).ShouldBeFalse("behind the memory");
    }
}
