namespace Sluice.Tests.Conformance;

public abstract partial class SluiceHandleConformance
{
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
