namespace Sluice.Tests.Streams;

public abstract partial class SluiceStreamConformance
{
    /// <summary>How the bytes of a stream get to the file.</summary>
    public static TheoryData<string> Endings => ["Flush", "Flush to disk", "FlushAsync", "Dispose", "DisposeAsync", "Close"];

    [Theory]
    [MemberData(nameof(Endings))]
    public async Task What_was_written_is_in_the_file(string ending)
    {
        foreach (int size in (int[])[1, 64, 4095, 4096, 4097, 49_153, 300_007])
        {
            string path = _temp.NewPath();
            StreamSubject subject = OpenSubject(path, FileMode.CreateNew);
            Stream stream = subject.Stream;
            byte[] content = Bytes.Pattern(size);
            stream.Write(content, 0, size / 2);
            await stream.WriteAsync(content.AsMemory(size / 2));
            stream.Position.ShouldBe(size);
            stream.Length.ShouldBe(size);
            switch (ending)
            {
                case "Flush": stream.Flush(); break;
                case "Flush to disk": subject.Flush(flushToDisk: true); break;
                case "FlushAsync": await stream.FlushAsync(); break;
                case "Dispose": stream.Dispose(); break;
                case "DisposeAsync": await stream.DisposeAsync(); break;
                default: stream.Close(); break;
            }

            OnDisk(path).ShouldBeBytes(content, ending);
            await stream.DisposeAsync();
            OnDisk(path).ShouldBeBytes(content, $"{ending}, then disposed");
        }
    }

    [Theory]
    [MemberData(nameof(WriteForms))]
    public async Task Writes_of_any_size_follow_one_another(int form)
    {
        byte[] content = Bytes.Pattern(200_000);
        Stream stream = Create(out string path);
        int position = 0;
        foreach (int size in (int[])[1, 10, 0, 100, 4096, 3, 5_000, 64, 63, 17_000, 1, 20_000, 12, 20_000, 50_000, 512, 9])
        {
            await WriteAsync(stream, content, position, size, form);
            position += size;
            stream.Position.ShouldBe(position);
            stream.Length.ShouldBe(position);
        }

        await stream.DisposeAsync();
        OnDisk(path).ShouldBeBytes(content.AsSpan(0, position));
    }

    [Fact]
    public async Task Single_bytes_arrive_in_order()
    {
        byte[] content = Bytes.Pattern(IsBuffered ? 6_000 : 300);
        string path = _temp.NewPath();
        StreamSubject subject = OpenSubject(path, FileMode.CreateNew);
        Stream stream = subject.Stream;
        for (int i = 0; i < content.Length; i++)
        {
            if (i % 3 == 0)
            {
                await subject.WriteByteAsync(content[i]);
            }
            else
            {
                stream.WriteByte(content[i]);
            }
        }

        stream.Position.ShouldBe(content.Length);
        stream.Dispose();
        OnDisk(path).ShouldBeBytes(content);
    }

    [Theory]
    [MemberData(nameof(WriteForms))]
    public async Task A_write_changes_its_own_range_only(int form)
    {
        string path = _temp.NewFile(50_000);
        byte[] expected = Bytes.Pattern(50_000);
        using (Stream stream = Open(path))
        {
            foreach ((int offset, int size) in ((int, int)[])[(0, 1), (100, 63), (4095, 2), (8191, 4098), (30_000, 1)])
            {
                byte[] bytes = new byte[size];
                Array.Fill(bytes, (byte)255);
                stream.Position = offset;
                await WriteAsync(stream, bytes, 0, size, form);
                bytes.CopyTo(expected, offset);
            }
        }

        OnDisk(path).ShouldBeBytes(expected);
    }

    [Fact]
    public async Task A_write_behind_the_end_leaves_zeros_between()
    {
        string path = _temp.NewFile(10);
        byte[] expected = new byte[7_003];
        Bytes.Pattern(10).CopyTo(expected, 0);
        using (Stream stream = Open(path))
        {
            stream.Seek(6_990, SeekOrigin.End);
            await stream.WriteAsync(new byte[] { 1, 2 });
            stream.Length.ShouldBe(7_002);
            stream.WriteByte(3);
            stream.Length.ShouldBe(7_003);
        }

        expected[7_000] = 1;
        expected[7_001] = 2;
        expected[7_002] = 3;
        OnDisk(path).ShouldBeBytes(expected);
    }

    [Fact]
    public async Task A_read_sees_what_was_written_before_it_without_a_flush()
    {
        using Stream stream = OpenNew(10_000, out byte[] content);
        byte[] buffer = new byte[300];
        for (int round = 0; round < 30; round++)
        {
            int offset = (round * 331) % 9_000;
            byte[] bytes = [.. Enumerable.Repeat((byte)(200 + round), 1 + round)];
            stream.Position = offset;
            if (round % 2 == 0)
            {
                stream.Write(bytes);
            }
            else
            {
                await stream.WriteAsync(bytes);
            }

            bytes.CopyTo(content, offset);

            // On from the write, without a seek between.
            await stream.ReadExactlyAsync(buffer);
            buffer.ShouldBeBytes(content.AsSpan(offset + bytes.Length, buffer.Length), $"round {round}");
            stream.Seek(offset, SeekOrigin.Begin);
            stream.ReadExactly(buffer);
            buffer.ShouldBeBytes(content.AsSpan(offset, buffer.Length), $"round {round}");
        }
    }

    [Fact]
    public async Task A_write_after_a_read_goes_to_the_position_and_not_behind_the_buffer()
    {
        string path = _temp.NewFile(10_000);
        byte[] expected = Bytes.Pattern(10_000);
        using (Stream stream = Open(path))
        {
            byte[] buffer = new byte[10];
            for (int i = 0; i < 100; i++)
            {
                await stream.ReadExactlyAsync(buffer);
                buffer.ShouldBeBytes(expected.AsSpan((int)stream.Position - 10, 10));
                expected[stream.Position] = 255;
                stream.WriteByte(255);
                stream.ReadExactly(buffer, 0, 5);
                expected[stream.Position] = 254;
                await stream.WriteAsync(new byte[] { 254 });
            }
        }

        OnDisk(path).ShouldBeBytes(expected);
    }

    [Fact]
    public async Task No_more_than_the_buffer_is_missing_from_the_file()
    {
        // The promise of docs/compatibility.md for explicit sizes: a process that dies loses at most the buffer.
        int most = _bufferSize == SluiceOptions.Adaptive ? int.MaxValue : IsBuffered ? _bufferSize : 0;
        using Stream stream = Create(out string path);
        for (int i = 0; i < 60; i++)
        {
            byte[] bytes = Bytes.Pattern((i * 397) % 5_000);
            if (i % 2 == 0)
            {
                stream.Write(bytes);
            }
            else
            {
                await stream.WriteAsync(bytes);
            }

            (stream.Position - new FileInfo(path).Length).ShouldBeLessThanOrEqualTo(most, $"write {i}");
        }

        stream.Flush();
        new FileInfo(path).Length.ShouldBe(stream.Position);
    }

    [Fact]
    public void A_stream_that_may_only_read_does_not_write()
    {
        string path = _temp.NewFile(100);
        StreamSubject subject = OpenSubject(path, access: FileAccess.Read);
        using Stream stream = subject.Stream;
        stream.CanWrite.ShouldBeFalse();
        byte[] bytes = new byte[10];
        foreach (Action write in (Action[])
            [() => stream.Write(bytes, 0, 10), () => stream.Write(bytes.AsSpan()), () => stream.WriteByte(1),
             () => _ = stream.WriteAsync(bytes, 0, 10), () => _ = stream.WriteAsync(bytes),
             () => subject.WriteByteAsync(1).AsTask().GetAwaiter().GetResult(), () => stream.SetLength(1),
             () => stream.BeginWrite(bytes, 0, 10, null, null)])
        {
            Should.Throw<NotSupportedException>(write).Message.ShouldBe("Stream does not support writing.");
        }

        stream.Flush();
        OnDisk(path).ShouldBeBytes(Bytes.Pattern(100));
    }
}
