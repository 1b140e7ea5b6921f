namespace Sluice.Tests.Conformance;

public abstract partial class SluiceHandleConformance
{
    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    [InlineData(7)]
    [InlineData(300)]
    public void A_batch_reads_every_request_at_its_offset(int count)
    {
        using SluiceHandle handle = OpenNew(300_001, out byte[] content);
        Random random = new(count);
        ReadRequest[] requests = new ReadRequest[count];
        for (int i = 0; i < count; i++)
        {
            // Aligned, unaligned, empty, longer than a bounce buffer, across and behind the end.
            int length = (i % 5) switch { 0 => 4096, 1 => random.Next(5000), 2 => 0, 3 => 40_000, _ => 512 };
            int offset = i % 2 == 0 ? random.Next(content.Length / 4096) * 4096 : random.Next(content.Length + 5000);
            requests[i] = new ReadRequest(offset, Bytes.Pinned(length, i % 3));
        }

        handle.ReadBatch(requests);
        foreach (ReadRequest request in requests)
        {
            int offset = (int)request.FileOffset;
            int expected = Math.Clamp(content.Length - offset, 0, request.Buffer.Length);
            request.Error.ShouldBeNull();
            request.BytesRead.ShouldBe(expected);
            request.Buffer[..expected].ShouldBeBytes(content.AsSpan(Math.Min(offset, content.Length), expected));
        }
    }

    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    [InlineData(7)]
    [InlineData(300)]
    public void A_batch_writes_every_request_at_its_offset(int count)
    {
        using SluiceHandle handle = Open(_temp.NewPath(), FileMode.CreateNew);
        byte[] expected = new byte[count * 24_576];
        int end = 0;
        WriteRequest[] requests = new WriteRequest[count];
        int offset = 0;
        for (int i = 0; i < count; i++)
        {
            int length = (i % 5) switch { 0 => 4096, 1 => 4096, 2 => 0, 3 => 1000, _ => 24_576 };
            offset = i % 7 == 0 ? offset : (offset + 4095) & ~4095;
            Memory<byte> bytes = Bytes.Pinned(length, i % 3);
            Bytes.Pattern(length, i).CopyTo(bytes);
            requests[i] = new WriteRequest(offset, bytes);
            bytes.Span.CopyTo(expected.AsSpan(offset));
            end = length == 0 ? end : Math.Max(end, offset + length);
            offset += length;
        }

        new Random(count).Shuffle(requests);
        handle.WriteBatch(requests);
        requests.ShouldAllBe(r => r.Error == null && r.BytesWritten == r.Buffer.Length);
        Content(handle).ShouldBeBytes(expected.AsSpan(0, end));
    }

    [Fact]
    public void Results_of_a_batch_take_the_place_of_those_of_the_batch_before()
    {
        using SluiceHandle handle = OpenNew(8192, out byte[] content);
        IOException earlier = new("of the batch before");
        Memory<byte> buffer = Bytes.Pinned(4096);
        ReadRequest[] reads = [new(4096, buffer) { BytesRead = 7, Error = earlier }, new(0, default) { BytesRead = 7, Error = earlier }];
        handle.ReadBatch(reads);
        buffer.ShouldBeBytes(content.AsSpan(4096));
        reads.Select(static r => (r.BytesRead, r.Error)).ShouldBe([(4096, null), (0, null)]);
        WriteRequest[] writes =
            [new(4096, buffer) { BytesWritten = 7, Error = earlier }, new(0, default) { BytesWritten = 7, Error = earlier }];
        handle.WriteBatch(writes);
        writes.Select(static r => (r.BytesWritten, r.Error)).ShouldBe([(4096, null), (0, null)]);
    }

    [Fact]
    public void A_batch_with_a_negative_offset_does_nothing()
    {
        using SluiceHandle handle = OpenNew(100, out byte[] content);
        byte[] buffer = new byte[10];
        ReadRequest[] reads = [new(0, buffer), new(-1, buffer)];
        Should.Throw<ArgumentOutOfRangeException>(() => handle.ReadBatch(reads));
        buffer.ShouldAllBe(b => b == 0);
        WriteRequest[] writes = [new(0, buffer), new(-1, buffer)];
        Should.Throw<ArgumentOutOfRangeException>(() => handle.WriteBatch(writes));
        Content(handle).ShouldBeBytes(content);
    }

    [Fact]
    public void One_failing_write_of_a_batch_has_its_error_and_the_others_are_done()
    {
        using SluiceHandle handle = OpenNew(8192, out byte[] content);
        byte[] bytes = Bytes.Pattern(4096, 99);
        WriteRequest[] requests = [new(0, bytes), new(long.MaxValue - 8191, bytes), new(4096, bytes)];
        Exception error = Record.Exception(() => handle.WriteBatch(requests));
        error.ShouldNotBeNull();
        requests[1].Error.ShouldBeSameAs(error);
        requests[1].BytesWritten.ShouldBe(0);
        foreach (int i in (int[])[0, 2])
        {
            requests[i].Error.ShouldBeNull();
            requests[i].BytesWritten.ShouldBe(4096);
        }

        Content(handle).ShouldBeBytes([.. bytes, .. bytes]);
        content.Length.ShouldBe(8192);
    }

    [Fact]
    public void Every_request_of_a_batch_without_access_has_an_error()
    {
        string path = _temp.NewFile(10_000);
        using SluiceHandle writeOnly = Open(path, access: FileAccess.Write);
        ReadRequest[] reads = [.. Enumerable.Range(0, 5).Select(i => new ReadRequest(i * 512, new byte[512]))];
        Should.Throw<UnauthorizedAccessException>(() => writeOnly.ReadBatch(reads));
        reads.ShouldAllBe(r => r.BytesRead == 0);
        for (int i = 0; i < reads.Length; i++)
        {
            ShouldSay(reads[i].Error, "reading", "Reading", $"'{path}' at offset {i * 512}");
        }

        using SluiceHandle readOnly = Open(path, access: FileAccess.Read);
        WriteRequest[] writes = [.. Enumerable.Range(0, 5).Select(i => new WriteRequest(i * 512, new byte[512]))];
        Should.Throw<UnauthorizedAccessException>(() => readOnly.WriteBatch(writes));
        writes.ShouldAllBe(r => r.BytesWritten == 0);
        for (int i = 0; i < writes.Length; i++)
        {
            ShouldSay(writes[i].Error, "writing", "Writing", $"'{path}' at offset {i * 512}");
        }
    }

    [Fact]
    public void Requests_are_unpinned_when_one_of_them_cannot_be_pinned()
    {
        using CountingMemory memory = new(4096);
        using CountingMemory refusing = new(4096) { RefusesPins = true };
        using SluiceHandle handle = OpenNew(100_000, out _);
        Internals.Drop(handle);
        ReadRequest[] reads = [new(0, memory.Memory), new(8192, refusing.Memory), new(16_384, memory.Memory)];
        WriteRequest[] writes = [new(0, memory.Memory), new(8192, refusing.Memory), new(16_384, memory.Memory)];
        _ = Record.Exception(() => handle.ReadBatch(reads));
        _ = Record.Exception(() => handle.WriteBatch(writes));
        memory.Pins.ShouldBe(0);
    }
}
