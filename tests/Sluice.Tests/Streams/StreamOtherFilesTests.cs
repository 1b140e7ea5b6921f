using Microsoft.Win32.SafeHandles;

namespace Sluice.Tests.Streams;

/// <summary>Empty files, pipes, FIFOs, devices, files of /proc, and files opened for append: what FileStream does with each.</summary>
public sealed class StreamOtherFilesTests : IDisposable
{
    private static readonly StreamStep[] Reading =
    [
        new(StreamVerb.GetProperties, 0, 0), new(StreamVerb.Read, 0, 10), new(StreamVerb.Read, 1, 1), new(StreamVerb.ReadByte, 0, 0),
            new(StreamVerb.Read, 2, 100),
        new(StreamVerb.Read, 3, 5_000), new(StreamVerb.ReadByte, 1, 0, 3), new(StreamVerb.Read, 4, 64), new(StreamVerb.Read, 5, 0),
            new(StreamVerb.Read, 0, 20_000, 4),
    ];

    private static readonly StreamStep[] Writing =
    [
        new(StreamVerb.Write, 0, 10), new(StreamVerb.Write, 1, 5_000), new(StreamVerb.WriteByte, 0, 0, 3), new(StreamVerb.Flush, 0, 0),
            new(StreamVerb.Write, 2, 100),
        new(StreamVerb.WriteByte, 1, 0, 2), new(StreamVerb.Write, 3, 20_000), new(StreamVerb.Flush, 3, 0), new(StreamVerb.Write, 4, 64),
            new(StreamVerb.Write, 5, 0),
        new(StreamVerb.Flush, 2, 0),
    ];

    private static readonly StreamStep[] Seeking =
    [
        new(StreamVerb.GetLength, 0, 0), new(StreamVerb.Seek, 0, 0), new(StreamVerb.Seek, 0, 5, 1, 1), new(StreamVerb.Seek, 0, -1, 1, 2),
            new(StreamVerb.SetPosition, 0, 3),
        new(StreamVerb.SetLength, 0, 7), new(StreamVerb.Seek, 0, -1), new(StreamVerb.LockAndUnlock, 0, 0, 10),
            new(StreamVerb.GetHandle, 0, 0), new(StreamVerb.CopyTo, 0, 0),
    ];

    private readonly TempFolder _temp = new();

    public static TheoryData<int, bool, FileCaching> Openings => StreamPair.Openings;

    public void Dispose() => _temp.Dispose();

    [SkippableTheory]
    [MemberData(nameof(Openings))]
    public async Task A_device_agrees(int bufferSize, bool isAsync, FileCaching caching)
    {
        foreach (string device in (string[])["/dev/null", "/dev/zero", "/dev/full"])
        {
            Skip.IfNot(File.Exists(device), $"{device} is missing");
            foreach (FileAccess access in Enum.GetValues<FileAccess>())
            {
                // A signal may cut a long read of a device, in .NET too; up to a page comes whole.
                StreamStep[] reading =
                    [.. Reading.Where(s => s.Size <= 4096), new(StreamVerb.Read, 0, 4_000, 4), new(StreamVerb.Read, 2, 4_000, 4)];
                await StreamPair.CompareAsync(device, (device, device), access, bufferSize, isAsync, caching, reading);

                // What cannot be written to /dev/full is an error of each write, and of the buffer at last.
                await StreamPair.CompareAsync(device, (device, device), access, bufferSize, isAsync, caching, device == "/dev/full"
                    ? [Writing[1]] : Writing);
                await StreamPair.CompareAsync(device, (device, device), access, bufferSize, isAsync, caching, Seeking[..^1]);
            }
        }
    }

    [SkippableTheory]
    [MemberData(nameof(Openings))]
    public async Task A_file_of_proc_agrees(int bufferSize, bool isAsync, FileCaching caching)
    {
        foreach (string path in (string[])["/proc/version", "/proc/self/limits", "/proc/self/environ", "/proc/sys/kernel/ostype"])
        {
            Skip.IfNot(File.Exists(path), $"{path} is missing");
            await StreamPair.CompareAsync(path, (path, path), FileAccess.Read, bufferSize, isAsync, caching, Reading);
            await StreamPair.CompareAsync(path, (path, path), FileAccess.Read, bufferSize, isAsync, caching, Seeking);
            await StreamPair.CompareAsync(path, (path, path), FileAccess.Read, bufferSize, isAsync, caching,
                new StreamStep(StreamVerb.CopyTo, 2, 0));
        }
    }

    [SkippableTheory]
    [MemberData(nameof(Openings))]
    public async Task A_terminal_agrees(int bufferSize, bool isAsync, FileCaching caching)
    {
        Skip.IfNot(File.Exists("/dev/ptmx"), "no pseudo-terminals here");
        await StreamPair.CompareAsync("/dev/ptmx", ("/dev/ptmx", "/dev/ptmx"), FileAccess.ReadWrite, bufferSize, isAsync, caching,
            Seeking[..^1]);
        StreamStep[] writing =
            [new(StreamVerb.Write, 0, 10), new(StreamVerb.Flush, 0, 0), new(StreamVerb.Write, 2, 3), new(StreamVerb.Flush, 3, 0)];
        await StreamPair.CompareAsync("/dev/ptmx", ("/dev/ptmx", "/dev/ptmx"), FileAccess.ReadWrite, bufferSize, isAsync, caching, writing);
    }

    [Theory]
    [InlineData(0)]
    [InlineData(64)]
    [InlineData(4096)]
    public async Task The_reading_end_of_a_pipe_agrees(int bufferSize)
    {
        byte[] content = Bytes.Pattern(30_000);

        // How many bytes a buffered read of a pipe gives at once is chance; that all come is the next test's business.
        foreach (StreamStep[] steps in bufferSize == 0 ? (StreamStep[][])[Reading, Seeking, Writing] : [Seeking, Writing])
        {
            using SafeFileHandle theirs = StreamPair.PipeWith(content);
            using SafeFileHandle own = StreamPair.PipeWith(content);
            await StreamPair.CompareAsync(
                $"pipe, buffer {bufferSize}", () => new FileStream(theirs, FileAccess.Read, bufferSize), () =>
                    new SluiceStream(own, FileAccess.Read, bufferSize), steps);
        }
    }

    [Theory]
    [InlineData(0)]
    [InlineData(64)]
    [InlineData(4096)]
    public async Task A_pipe_is_read_to_its_end_by_every_member(int bufferSize)
    {
        byte[] content = Bytes.Pattern(30_000);
        using SluiceStream stream = new(StreamPair.PipeWith(content), FileAccess.Read, bufferSize);
        byte[] buffer = new byte[35_000];
        int done = 0;
        for (int i = 0, bytes = 1; bytes > 0; i++)
        {
            int size = 1 + (i * 379 % 3_000);
            bytes = (i % 4) switch
            {
                0 => stream.Read(buffer, done, size),
                1 => await stream.ReadAsync(buffer.AsMemory(done, size)),
                2 => await stream.ReadAsync(buffer, done, size),
                _ => stream.Read(buffer.AsSpan(done, size)),
            };
            done += bytes;
            int single = i % 2 == 0 ? stream.ReadByte() : await stream.ReadByteAsync();
            if (single >= 0)
            {
                buffer[done++] = (byte)single;
            }
        }

        buffer.AsMemory(0, done).ShouldBeBytes(content);
    }

    [SkippableTheory]
    [InlineData(0)]
    [InlineData(64)]
    [InlineData(4096)]
    public async Task The_writing_end_of_a_pipe_gets_bytes_in_order(int bufferSize)
    {
        (SafeFileHandle read, SafeFileHandle write) = Native.Pipe();
        using FileStream reader = new(read, FileAccess.Read, 0);
        Task<byte[]> all = Task.Run(() =>
        {
            using MemoryStream target = new();
            reader.CopyTo(target);
            return target.ToArray();
        });
        SluiceStream writer = new(write, FileAccess.Write, bufferSize);
        writer.CanSeek.ShouldBeFalse();

        // FileStream of .NET 10.0.12 sends the second block before the first here: WriteAsync passes by what Write left in the buffer.
        writer.Write(Bytes.Pattern(100));
        await writer.WriteAsync(Bytes.Pattern(10_000, 100));
        writer.Write(Bytes.Pattern(1, 10_100));
        await writer.FlushAsync();
        writer.Write(Bytes.Pattern(5, 10_101));
        await writer.DisposeAsync();
        (await all).ShouldBeBytes(Bytes.Pattern(10_106));
    }

    [SkippableTheory]
    [InlineData(SluiceOptions.Adaptive)]
    [InlineData(0)]
    [InlineData(64)]
    [InlineData(4096)]
    public async Task What_is_written_to_a_pipe_asynchronously_is_there_without_a_flush_as_from_FileStream(int bufferSize)
    {
        int[][] available = new int[2][];
        for (int i = 0; i < 2; i++)
        {
            (SafeFileHandle read, SafeFileHandle write) = Native.Pipe();
            using SafeFileHandle reader = read;
            await using Stream writer = i == 0
                ? new FileStream(write, FileAccess.Write, Math.Max(bufferSize, 0))
                : new SluiceStream(SluiceHandle.FromSafeFileHandle(write, FileAccess.Write, ownsHandle: true), FileAccess.Write,
                    bufferSize);
            await writer.WriteAsync(Bytes.Pattern(5));
            int first = Native.AvailableBytes(reader);
            await writer.WriteAsync(Bytes.Pattern(7), 0, 7);
            int second = Native.AvailableBytes(reader);
            writer.EndWrite(writer.BeginWrite(Bytes.Pattern(9), 0, 9, null, null));
            available[i] = [first, second, Native.AvailableBytes(reader)];
        }

        available[1].ShouldBe(available[0]);
        available[1].ShouldBe([5, 12, 21]);
    }

    [SkippableTheory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_read_of_a_pipe_gives_what_is_there_and_does_not_wait_for_more(bool isAsync)
    {
        foreach (int bufferSize in (int[])[0, 64, 4096])
        {
            (SafeFileHandle read, SafeFileHandle write) = Native.Pipe();
            using FileStream writer = new(write, FileAccess.Write, 0);
            using SluiceStream stream = new(read, FileAccess.Read, bufferSize);
            byte[] buffer = new byte[1_000];
            writer.Write(Bytes.Pattern(10));
            int bytes = await stream.ReadAsync(buffer, isAsync);
            bytes.ShouldBe(10);
            writer.Write(Bytes.Pattern(70));
            bytes = await stream.ReadAsync(buffer.AsMemory(0, 20), isAsync);
            bytes.ShouldBe(20);
            bytes = await stream.ReadAsync(buffer, isAsync);
            bytes.ShouldBeInRange(1, 50);
            buffer.AsMemory(0, bytes).ShouldBeBytes(Bytes.Pattern(70).AsSpan(20, bytes));
        }
    }

    [SkippableTheory]
    [InlineData(SluiceOptions.Adaptive, false)]
    [InlineData(SluiceOptions.Adaptive, true)]
    [InlineData(0, true)]
    [InlineData(4096, true)]
    public async Task A_FIFO_carries_bytes_in_order(int bufferSize, bool isAsync)
    {
        string path = _temp.NewFifo();
        SluiceOptions options = new()
        {
            // Opened for both, a FIFO waits for no other end.
            Access = FileAccess.ReadWrite,
            Share = FileShare.ReadWrite,
            BufferSize = bufferSize,
            Options = isAsync ? FileOptions.Asynchronous : FileOptions.None,
        };
        using SluiceStream stream = new(path, options);
        using FileStream other = new(path, FileMode.Open, FileAccess.ReadWrite, FileShare.ReadWrite, 0);
        stream.CanSeek.ShouldBe(other.CanSeek);
        Should.Throw<NotSupportedException>(() => stream.Length);
        Should.Throw<NotSupportedException>(() => stream.Position);
        other.Write(Bytes.Pattern(1_000));
        byte[] buffer = new byte[1_000];
        await stream.ReadExactlyAsync(buffer.AsMemory(0, 300));
        stream.ReadExactly(buffer, 300, 700);
        buffer.ShouldBeBytes(Bytes.Pattern(1_000));
        await stream.WriteAsync(Bytes.Pattern(20));
        stream.Write(Bytes.Pattern(30, 20));
        await stream.FlushAsync();
        other.ReadExactly(buffer, 0, 50);
        buffer.AsMemory(0, 50).ShouldBeBytes(Bytes.Pattern(50));
    }

    [Theory]
    [MemberData(nameof(Openings))]
    public async Task A_file_opened_for_append_never_moves_before_its_start(int bufferSize, bool isAsync, FileCaching caching)
    {
        StreamConfiguration configuration = new(FileMode.Append, FileAccess.Write, FileShare.Read, bufferSize, isAsync, "own", caching);
        StreamStep[] steps =
        [
            new(StreamVerb.Seek, 0, 99), new(StreamVerb.Seek, 0, 100), new(StreamVerb.Seek, 0, -1, 1, 1),
                new(StreamVerb.Seek, 0, -1, 1, 2), new(StreamVerb.SetPosition, 0, 0),
            new(StreamVerb.SetLength, 0, 99), new(StreamVerb.Write, 0, 50), new(StreamVerb.Seek, 0, 100), new(StreamVerb.Write, 1, 10),
                new(StreamVerb.SetLength, 0, 120),
            new(StreamVerb.SetLength, 0, 100), new(StreamVerb.Seek, 0, 5_000), new(StreamVerb.Write, 2, 3),
                new(StreamVerb.GetLength, 0, 0), new(StreamVerb.Seek, 0, 99),
            new(StreamVerb.Seek, 0, -5_000, 1, 2), new(StreamVerb.Read, 0, 10), new(StreamVerb.ReadByte, 0, 0),
                new(StreamVerb.GetProperties, 0, 0), new(StreamVerb.GetHandle, 0, 0),
        ];
        string theirs = _temp.NewFile(100);
        string own = _temp.NewFile(100);
        await StreamPair.CompareAsync(
            configuration.ToString(),
            () => configuration.OpenTheirs(theirs, FileMode.Append).Stream,
            () => configuration.OpenOwn(own, FileMode.Append).Stream,
            steps);
        File.ReadAllBytes(own).ShouldBeBytes(File.ReadAllBytes(theirs));
        File.ReadAllBytes(own).Length.ShouldBe(5_003);
    }

    [Fact]
    public async Task Transfers_at_the_largest_offsets_fail_as_in_FileStream()
    {
        foreach (int bufferSize in (int[])[0, 4096])
        {
            foreach (bool isAsync in (bool[])[false, true])
            {
                (string, string) paths = (_temp.NewFile(10), _temp.NewFile(10));
                foreach (long offset in (long[])[long.MaxValue, long.MaxValue - 1, long.MaxValue - 5_000])
                {
                    await CompareAtAsync(paths, offset, bufferSize, isAsync);
                }
            }
        }
    }

    [Theory]
    [InlineData(0)]
    [InlineData(4096)]
    public async Task The_largest_length_gives_what_FileStream_gives(int bufferSize)
    {
        // Refused by ext4, and done by tmpfs.
        (string Theirs, string Own) paths = (_temp.NewFile(10), _temp.NewFile(10));
        StreamConfiguration configuration =
            new(FileMode.Open, FileAccess.ReadWrite, FileShare.ReadWrite, bufferSize, false, "own", FileCaching.Cached);
        using Stream theirs = configuration.OpenTheirs(paths.Theirs, FileMode.Open).Stream;
        await using Stream own = configuration.OpenOwn(paths.Own, FileMode.Open).Stream;
        foreach (long length in (long[])[long.MaxValue, long.MaxValue - 4096, 1L << 55])
        {
            Of(() => own.SetLength(length)).ShouldBe(Of(() => theirs.SetLength(length)), $"{length}");
            own.Length.ShouldBe(theirs.Length);
            own.Position.ShouldBe(theirs.Position);
        }
    }

    private static async Task CompareAtAsync((string Theirs, string Own) paths, long offset, int bufferSize, bool isAsync)
    {
        StreamConfiguration configuration =
            new(FileMode.Open, FileAccess.ReadWrite, FileShare.ReadWrite, bufferSize, isAsync, "own", FileCaching.Cached);
        string[] outcomes = new string[2];
        for (int side = 0; side < 2; side++)
        {
            using Stream stream =
                (side == 0 ? configuration.OpenTheirs(paths.Theirs, FileMode.Open)
                    : configuration.OpenOwn(paths.Own, FileMode.Open)).Stream;
            byte[] buffer = new byte[100];
            outcomes[side] =
                Of(() => stream.Position = offset) + Of(() => _ = stream.Read(buffer, 0, 100)) + Of(() =>
                    _ = stream.ReadByte()) + stream.Position;
            outcomes[side] += await OfAsync(async () => _ = await stream.ReadAsync(buffer)) + stream.Position;
        }

        outcomes[1].ShouldBe(outcomes[0], $"{configuration} at {offset}");
    }

    private static string Of(Action action)
    {
        try
        {
            action();
            return "done ";
        }
        catch (Exception e)
        {
            return e.GetType().Name + " ";
        }
    }

    private static async Task<string> OfAsync(Func<Task> action)
    {
        try
        {
            await action();
            return "done ";
        }
        catch (Exception e)
        {
            return e.GetType().Name + " ";
        }
    }
}
