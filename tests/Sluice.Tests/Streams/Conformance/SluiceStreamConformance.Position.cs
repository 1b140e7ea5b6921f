namespace Sluice.Tests.Streams;

public abstract partial class SluiceStreamConformance
{
    [Fact]
    public async Task Seeks_lead_where_they_say_and_reads_follow()
    {
        using Stream stream = OpenNew(50_000, out byte[] content);
        byte[] buffer = new byte[100];
        Random random = new(5);
        for (int i = 0; i < 300; i++)
        {
            int target = random.Next(49_900);
            switch (i % 4)
            {
                case 0: stream.Seek(target, SeekOrigin.Begin).ShouldBe(target); break;
                case 1: stream.Seek(target - stream.Position, SeekOrigin.Current).ShouldBe(target); break;
                case 2: stream.Seek(target - 50_000, SeekOrigin.End).ShouldBe(target); break;
                default: stream.Position = target; break;
            }

            stream.Position.ShouldBe(target);
            int size = random.Next(1, 100);
            if (i % 3 == 0)
            {
                stream.ReadExactly(buffer, 0, size);
            }
            else
            {
                await stream.ReadExactlyAsync(buffer.AsMemory(0, size));
            }

            buffer.AsMemory(0, size).ShouldBeBytes(content.AsSpan(target, size), $"at {target}");
            stream.Position.ShouldBe(target + size);
        }
    }

    [Fact]
    public void A_position_before_the_begin_is_refused_and_changes_nothing()
    {
        using Stream stream = OpenNew(100, out byte[] content);
        stream.Position = 40;
        Should.Throw<IOException>(() => stream.Seek(-1, SeekOrigin.Begin));
        Should.Throw<IOException>(() => stream.Seek(-41, SeekOrigin.Current));
        Should.Throw<IOException>(() => stream.Seek(-101, SeekOrigin.End));
        Should.Throw<ArgumentOutOfRangeException>(() => stream.Position = -1).ParamName.ShouldBe("value");
        Should.Throw<ArgumentException>(() => stream.Seek(0, (SeekOrigin)3)).ParamName.ShouldBe("origin");
        stream.Position.ShouldBe(40);
        stream.ReadByte().ShouldBe(content[40]);
    }

    [Fact]
    public async Task A_position_behind_the_end_reads_nothing_and_adds_nothing()
    {
        string path = _temp.NewFile(100);
        using Stream stream = Open(path);
        stream.Position = 1_000_000;
        byte[] buffer = new byte[10];
        stream.Read(buffer).ShouldBe(0);
        (await stream.ReadAsync(buffer)).ShouldBe(0);
        stream.ReadByte().ShouldBe(-1);
        stream.Position.ShouldBe(1_000_000);
        stream.Length.ShouldBe(100);
        stream.Flush();
        OnDisk(path).Length.ShouldBe(100);
    }

    [Fact]
    public void The_length_counts_what_is_in_the_buffer()
    {
        using Stream stream = Create(out _);
        stream.Length.ShouldBe(0);
        stream.Write(new byte[10]);
        stream.Length.ShouldBe(10);
        stream.Position = 5;
        stream.Write(new byte[3]);
        stream.Length.ShouldBe(10);
        stream.Seek(0, SeekOrigin.End).ShouldBe(10);
        stream.WriteByte(1);
        stream.Seek(-1, SeekOrigin.End).ShouldBe(10);
        stream.ReadByte().ShouldBe(1);
    }

    [Fact]
    public async Task Cutting_takes_the_bytes_and_the_position_with_it()
    {
        string path = _temp.NewFile(20_000);
        using (Stream stream = Open(path))
        {
            byte[] buffer = new byte[5_000];
            await stream.ReadExactlyAsync(buffer);
            stream.SetLength(3_000);
            stream.Length.ShouldBe(3_000);
            stream.Position.ShouldBe(3_000);
            stream.Read(buffer).ShouldBe(0);
            stream.Position = 2_990;
            stream.ReadAtLeast(buffer, 5_000, throwOnEndOfStream: false).ShouldBe(10);
            stream.Write(Bytes.Pattern(10));
            stream.SetLength(3_005);
            stream.Position.ShouldBe(3_005);
            stream.Position = 3_006;
            stream.SetLength(3_005);
            stream.Position.ShouldBe(3_005);
        }

        byte[] expected = [.. Bytes.Pattern(3_000), .. Bytes.Pattern(5)];
        OnDisk(path).ShouldBeBytes(expected);
    }

    [Fact]
    public void Growing_adds_zeros_and_leaves_the_position()
    {
        using Stream stream = OpenNew(100, out byte[] content);
        stream.Position = 50;
        stream.ReadByte().ShouldBe(content[50]);
        stream.SetLength(9_000);
        stream.Position.ShouldBe(51);
        stream.Length.ShouldBe(9_000);
        byte[] all = new byte[9_000];
        stream.Position = 0;
        stream.ReadExactly(all);
        all.AsMemory(0, 100).ShouldBeBytes(content);
        all[100..].ShouldAllBe(b => b == 0);
        Should.Throw<ArgumentOutOfRangeException>(() => stream.SetLength(-1)).ParamName.ShouldBe("value");
    }

    [Fact]
    public void Cut_bytes_do_not_come_back_from_the_buffer()
    {
        using Stream stream = OpenNew(4_000, out byte[] content);
        byte[] buffer = new byte[4_000];
        stream.ReadExactly(buffer, 0, 10);
        stream.SetLength(20);
        stream.SetLength(4_000);
        stream.ReadExactly(buffer, 10, 3_990);
        buffer.AsMemory(0, 20).ShouldBeBytes(content.AsSpan(0, 20));
        buffer[20..].ShouldAllBe(b => b == 0);
    }

    [Fact]
    public void Writes_cut_off_before_they_were_flushed_stay_away()
    {
        string path;
        using (Stream stream = Create(out path))
        {
            stream.Write(Bytes.Pattern(40));
            stream.SetLength(10);
            stream.Position.ShouldBe(10);
            stream.Write(Bytes.Pattern(2));
        }

        OnDisk(path).ShouldBeBytes((byte[])[.. Bytes.Pattern(10), 1, 2]);
    }

    [Fact]
    public void The_length_is_asked_for_while_others_may_write()
    {
        string path = _temp.NewFile(10);
        using Stream stream = Open(path);
        stream.Length.ShouldBe(10);
        File.AppendAllBytes(path, new byte[5]);
        stream.Length.ShouldBe(15);
        stream.Seek(0, SeekOrigin.End).ShouldBe(15);
    }
}
