namespace Sluice.Tests.Streams;

public abstract partial class SluiceStreamConformance
{
    [Theory]
    [MemberData(nameof(Sizes))]
    public async Task A_file_is_read_to_its_end_and_not_further(int size)
    {
        foreach (int form in (int[])[0, 2])
        {
            byte[] content = Bytes.Pattern(size);
            StreamSubject subject = OpenSubject(_temp.NewFile(content));
            using Stream stream = subject.Stream;
            byte[] buffer = new byte[size + 100];
            int done = 0;
            int bytes;
            while ((bytes = await ReadAsync(stream, buffer, done, buffer.Length - done, form)) > 0)
            {
                done += bytes;
                stream.Position.ShouldBe(done);
            }

            buffer.AsMemory(0, done).ShouldBeBytes(content);
            (await ReadAsync(stream, buffer, 0, 10, form)).ShouldBe(0);
            stream.ReadByte().ShouldBe(-1);
            (await subject.ReadByteAsync()).ShouldBe(-1);
            stream.Position.ShouldBe(size);
        }
    }

    [Theory]
    [MemberData(nameof(ReadForms))]
    public async Task Reads_of_any_size_follow_one_another(int form)
    {
        using Stream stream = OpenNew(200_000, out byte[] content);
        byte[] buffer = new byte[20_000];
        int position = 0;
        foreach (int size in (int[])[1, 10, 0, 100, 4096, 3, 5_000, 64, 63, 17_000, 1, 20_000, 12, 20_000, 20_000, 512])
        {
            int bytes = await ReadAsync(stream, buffer, 0, size, form);
            bytes.ShouldBe(size);
            buffer.AsMemory(0, bytes).ShouldBeBytes(content.AsSpan(position, bytes));
            position += bytes;
            stream.Position.ShouldBe(position);
        }
    }

    [Theory]
    [MemberData(nameof(ReadForms))]
    public async Task A_read_touches_only_the_range_it_was_given(int form)
    {
        using Stream stream = OpenNew(10_000, out byte[] content);
        foreach (int size in (int[])[1, 50, 4096, 5_000])
        {
            byte[] buffer = new byte[size + 20];
            Array.Fill(buffer, (byte)255);
            stream.Position = 3;
            (await ReadAsync(stream, buffer, 10, size, form)).ShouldBe(size);
            buffer.AsMemory(10, size).ShouldBeBytes(content.AsSpan(3, size));
            buffer[..10].ShouldAllBe(b => b == 255);
            buffer[(size + 10)..].ShouldAllBe(b => b == 255);
        }
    }

    [Fact]
    public async Task Single_bytes_and_blocks_mix()
    {
        byte[] content = Bytes.Pattern(20_000);
        StreamSubject subject = OpenSubject(_temp.NewFile(content));
        using Stream stream = subject.Stream;
        byte[] buffer = new byte[700];
        int position = 0;
        while (position < 19_000)
        {
            stream.ReadByte().ShouldBe(content[position++]);
            (await subject.ReadByteAsync()).ShouldBe(content[position++]);
            await stream.ReadExactlyAsync(buffer);
            buffer.ShouldBeBytes(content.AsSpan(position, buffer.Length));
            position += buffer.Length;
            stream.ReadExactly(buffer, 0, 33);
            buffer.AsMemory(0, 33).ShouldBeBytes(content.AsSpan(position, 33));
            position += 33;
        }
    }

    [Fact]
    public async Task Bytes_that_another_handle_adds_are_read_after_the_end_was_met()
    {
        string path = _temp.NewFile(100);
        using Stream stream = Open(path, access: FileAccess.Read);
        byte[] buffer = new byte[500];
        stream.ReadAtLeast(buffer, 500, throwOnEndOfStream: false).ShouldBe(100);
        stream.Read(buffer).ShouldBe(0);
        using FileStream other = new(path, FileMode.Append, FileAccess.Write, FileShare.ReadWrite, 0);
        other.Write(Bytes.Pattern(50, 100));
        stream.Length.ShouldBe(150);
        (await stream.ReadAtLeastAsync(buffer, 50)).ShouldBe(50);
        buffer.AsMemory(0, 50).ShouldBeBytes(Bytes.Pattern(50, 100));
    }

    [Fact]
    public void Buffered_bytes_come_without_asking_the_file_again()
    {
        string path = _temp.NewFile(60);
        using Stream stream = Open(path, access: FileAccess.Read);
        stream.ReadByte().ShouldBe(1);
        using (FileStream other = new(path, FileMode.Open, FileAccess.Write, FileShare.ReadWrite, 0))
        {
            other.Write(new byte[60]);
        }

        // What FileStream does: a buffer is not refreshed, and without one nothing is kept.
        stream.ReadByte().ShouldBe(IsBuffered ? 2 : 0);
        stream.Position.ShouldBe(2);
    }

    [Fact]
    public async Task A_single_byte_is_there_at_once_when_it_is_in_the_buffer()
    {
        byte[] content = Bytes.Pattern(4096);
        StreamSubject subject = OpenSubject(_temp.NewFile(content));
        await using Stream stream = subject.Stream;
        (await subject.ReadByteAsync()).ShouldBe(content[0]);
        for (int i = 1; IsBuffered && i < 64; i++)
        {
            ValueTask<int> read = subject.ReadByteAsync();
            read.IsCompletedSuccessfully.ShouldBeTrue();
            (await read).ShouldBe(content[i]);
        }
    }

    [Fact]
    public void A_stream_that_may_only_write_does_not_read()
    {
        StreamSubject subject = OpenSubject(_temp.NewFile(100), access: FileAccess.Write);
        using Stream stream = subject.Stream;
        stream.CanRead.ShouldBeFalse();
        byte[] buffer = new byte[10];
        foreach (Action read in (Action[])
            [() => stream.Read(buffer, 0, 10), () => stream.Read(buffer.AsSpan()), () => stream.ReadByte(),
             () => _ = stream.ReadAsync(buffer, 0, 10), () => _ = stream.ReadAsync(buffer),
             () => _ = subject.ReadByteAsync().AsTask().GetAwaiter().GetResult(), () => stream.CopyTo(Stream.Null),
             () => _ = stream.CopyToAsync(Stream.Null), () => stream.BeginRead(buffer, 0, 10, null, null)])
        {
            Should.Throw<NotSupportedException>(read).Message.ShouldBe("Stream does not support reading.");
        }

        stream.Position.ShouldBe(0);
    }
}
