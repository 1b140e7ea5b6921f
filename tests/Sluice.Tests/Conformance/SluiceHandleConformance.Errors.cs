namespace Sluice.Tests.Conformance;

public abstract partial class SluiceHandleConformance
{
    [Fact]
    public async Task Every_member_of_a_closed_handle_throws_ObjectDisposedException()
    {
        SluiceHandle handle = OpenNew(10, out _);
        handle.Dispose();
        handle.Dispose();
        await handle.DisposeAsync();
        byte[] buffer = new byte[5];
        Memory<byte>[] segments = [buffer];
        ReadOnlyMemory<byte>[] written = [buffer];
        foreach (Action action in (Action[])[
            () => _ = handle.Length, () => handle.SetLength(1), () => handle.Read(buffer, 0), () => handle.Read(segments, 0),
            () => handle.Write(buffer, 0), () => handle.Write(written, 0), () => handle.Append(buffer),
            () => handle.AppendAndGetOffset(buffer), () => handle.FlushToDisk(),
            () => handle.ReadBatch(new ReadRequest[1]), () => handle.WriteBatch(new WriteRequest[1]), () => handle.Allocate(0, 1),
            () => handle.PunchHole(0, 1), () => handle.GetExtents(), () => handle.Read(buffer, -1), () => handle.ReadBatch([])])
        {
            Should.Throw<ObjectDisposedException>(action).Message.ShouldContain(handle.Path);
        }

        foreach (Func<Task> action in (Func<Task>[])[
            async () => await handle.ReadAsync(buffer, 0), async () => await handle.ReadAsync(segments, 0),
            async () => await handle.WriteAsync(buffer, 0), async () => await handle.WriteAsync(written, 0),
            async () => await handle.AppendAsync(buffer), async () => await handle.AppendAndGetOffsetAsync(buffer),
            async () => await handle.FlushToDiskAsync(),
            async () => await handle.ReadAsync(buffer, 0, new CancellationToken(true))])
        {
            await Should.ThrowAsync<ObjectDisposedException>(action);
        }
    }

    /// <summary>The kernel says "Bad file descriptor", which tells nobody what is wrong.</summary>
    [Fact]
    public async Task The_message_for_a_missing_access_names_the_access()
    {
        string path = _temp.NewFile(5000);
        await using SluiceHandle readOnly = Open(path, access: FileAccess.Read);
        await using SluiceHandle writeOnly = Open(path, access: FileAccess.Write);
        byte[] buffer = new byte[512];
        Memory<byte>[] segments = [buffer, buffer];
        ReadOnlyMemory<byte>[] written = [buffer, buffer];
        foreach (int offset in (int[])[0, 7])
        {
            await ShouldSayAsync("reading", "Reading", $"'{path}' at offset {offset}", [
                () => ReadAsync(writeOnly, buffer, offset, false), () => ReadAsync(writeOnly, buffer, offset, true)]);
            await ShouldSayAsync("reading", "Reading", $"'{path}' at offset {offset}", [
                () => ReadAsync(writeOnly, segments, offset, false), () => ReadAsync(writeOnly, segments, offset, true)]);
            await ShouldSayAsync("writing", "Writing", $"'{path}' at offset {offset}", [
                () => WriteAsync(readOnly, buffer, offset, false), () => WriteAsync(readOnly, buffer, offset, true)]);
            await ShouldSayAsync("writing", "Writing", $"'{path}' at offset {offset}", [
                () => WriteAsync(readOnly, written, offset, false), () => WriteAsync(readOnly, written, offset, true)]);
        }

        await ShouldSayAsync("writing", "Appending to", $"'{path}'", [
            () => AppendAsync(readOnly, buffer, false), () => AppendAsync(readOnly, buffer, true)]);
        Content(readOnly).ShouldBeBytes(Bytes.Pattern(5000));
    }

    /// <summary>Of the space of a file the same.</summary>
    [SkippableFact]
    public async Task Wrong_access_to_its_space_is_told_in_words()
    {
        Skip.IfNot(OperatingSystem.IsLinux(), "space is Linux's");
        string path = _temp.NewFile(5000);
        await using SluiceHandle readOnly = Open(path, access: FileAccess.Read);

        // As RandomAccess.SetLength.
        Should.Throw<IOException>(() => readOnly.SetLength(10)).Message
            .ShouldBe($"Setting the length of '{path}' failed: the handle was not opened for writing.");
        await ShouldSayAsync("writing", "Allocating space for", $"'{path}' at offset 0", [() => Run(() => readOnly.Allocate(0, 10_000))]);
        await ShouldSayAsync("writing", "Punching a hole into", $"'{path}' at offset 0", [() => Run(() => readOnly.PunchHole(0, 4096))]);
        Content(readOnly).ShouldBeBytes(Bytes.Pattern(5000));

        static Task Run(Action action)
        {
            action();
            return Task.CompletedTask;
        }
    }

    private static async Task ShouldSayAsync(string what, string verb, string where, Func<Task>[] actions)
    {
        for (int i = 0; i < actions.Length; i++)
        {
            UnauthorizedAccessException error = await Should.ThrowAsync<UnauthorizedAccessException>(actions[i], $"{verb} {i}");
            ShouldSay(error, what, verb, where);
        }
    }

    /// <summary>Of several buffers some ways name how, behind the verb.</summary>
    private static void ShouldSay(Exception? error, string what, string verb, string where)
    {
        string message = error.ShouldBeOfType<UnauthorizedAccessException>().Message;
        message.ShouldStartWith(verb + " ");
        message.ShouldEndWith($" {where} failed: the handle was not opened for {what}.");
    }

    [Fact]
    public async Task A_null_list_is_an_argument_error()
    {
        await using SluiceHandle handle = OpenNew(10, out byte[] content);
        Should.Throw<ArgumentNullException>(() => handle.Read((IReadOnlyList<Memory<byte>>)null!, 0));
        Should.Throw<ArgumentNullException>(() => handle.Write((IReadOnlyList<ReadOnlyMemory<byte>>)null!, 0));
        await Should.ThrowAsync<ArgumentNullException>(async () => await handle.ReadAsync((IReadOnlyList<Memory<byte>>)null!, 0));
        await Should.ThrowAsync<ArgumentNullException>(async () => await handle.WriteAsync((IReadOnlyList<ReadOnlyMemory<byte>>)null!, 0));
        Content(handle).ShouldBeBytes(content);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_transfer_at_the_largest_offset_leaves_the_handle_as_it_was(bool isAsync)
    {
        await using SluiceHandle handle = OpenNew(4096, out byte[] content);
        FileCaching before = handle.Caching;
        foreach (long offset in (long[])[long.MaxValue, long.MaxValue - 511, long.MaxValue - 4095, 1L << 62])
        {
            await Should.ThrowAsync<Exception>(() => WriteAsync(handle, new byte[512], offset, isAsync));
            try
            {
                (await ReadAsync(handle, new byte[512], offset, isAsync)).ShouldBe(0);
            }
            catch (IOException e)
            {
                e.Message.ShouldContain(handle.Path);
            }
        }

        handle.Caching.ShouldBe(before);
        Content(handle).ShouldBeBytes(content);
        (await ReadAsync(handle, new byte[512], 0, isAsync)).ShouldBe(512);
    }

    [Fact]
    public void Options_that_are_missing_or_unknown_are_refused()
    {
        Should.Throw<ArgumentNullException>(() => SluiceHandle.Open("x", null!));
        Should.Throw<ArgumentOutOfRangeException>(() => SluiceHandle.Open("x", caching: (FileCaching)7));
    }
}
