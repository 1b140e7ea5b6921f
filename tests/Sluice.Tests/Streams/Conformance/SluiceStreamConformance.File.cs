namespace Sluice.Tests.Streams;

/// <summary>What is in the file, and what others put there. <see cref="StreamModelTests"/> compare reads, writes and seeks with FileStream.</summary>
public abstract partial class SluiceStreamConformance
{
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
}
