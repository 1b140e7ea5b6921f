using Lucene.Net.Index;
using Lucene.Net.Store;
using Shouldly;
using Sluice.Clients.Tests.Support;
using Sluice.Lucene;
using Sluice.Testing;
using Sluice.Tests.Shared;
using Xunit;
using Lock = Lucene.Net.Store.Lock;
using LuceneDirectory = Lucene.Net.Store.Directory;

namespace Sluice.Clients.Tests.Lucene;

/// <summary>The contract of a Lucene directory, as NIOFSDirectory keeps it, and what SluiceDirectory adds: durability by Sync.</summary>
public sealed class SluiceDirectoryTests : IDisposable
{
    private const string Name = "file";

    private readonly string _folder = System.IO.Directory.CreateTempSubdirectory("sluice-lucene-").FullName;

    public void Dispose() => System.IO.Directory.Delete(_folder, recursive: true);

    [Fact]
    public void Inputs_clones_and_slices_give_what_those_of_NIOFSDirectory_give()
    {
        const int steps = 20_000;
        using SluiceDirectory own = new(_folder);
        using NIOFSDirectory other = new(_folder);
        byte[] content = Workplace.Content(50_000);
        Write(own, Name, content);
        using LuceneDirectory.IndexInputSlicer ownSlicer = own.CreateSlicer(Name, IOContext.DEFAULT);
        using LuceneDirectory.IndexInputSlicer otherSlicer = other.CreateSlicer(Name, IOContext.DEFAULT);
        IOContext merge = new(new MergeInfo(1, 1, isExternal: false, 1));
        using IndexInput ownRoot = own.OpenInput(Name, merge);
        using IndexInput otherRoot = other.OpenInput(Name, merge);
        Random random = new(1);
        List<(IndexInput Own, IndexInput Other)> inputs = [(ownRoot, otherRoot)];
        for (int i = 0; i < steps; i++)
        {
            int at = random.Next(inputs.Count);
            (IndexInput mine, IndexInput theirs) = inputs[at];
            int number = random.Next(6000);
            long position = random.Next(10) == 0 ? mine.Length + random.Next(-3, 3000) : random.NextInt64(mine.Length + 1);
            Func<IndexInput, object?> step = random.Next(8) switch
            {
                0 => static input => input.ReadByte(),
                1 => static input => input.ReadInt64(),
                2 => static input => input.ReadVInt64(),
                3 => input => Read(input, number, useBuffer: true),
                4 => input => Read(input, number, useBuffer: false),
                5 => input =>
                {
                    ((BufferedIndexInput)input).SetBufferSize(8 + number);
                    return null;
                }
                ,
                _ => input =>
                {
                    input.Seek(Math.Max(0, position));
                    return null;
                }
                ,
            };
            Outcome(() => step(mine)).ShouldBe(Outcome(() => step(theirs)), $"step {i}");
            mine.Position.ShouldBe(theirs.Position, $"step {i}");
            mine.Length.ShouldBe(theirs.Length);
            if (random.Next(100) == 0)
            {
                if (inputs.Count == 20)
                {
                    inputs.RemoveAt(random.Next(1, 20));
                }

                long offset = random.NextInt64(content.Length);
                long length = random.NextInt64(content.Length - offset + 1);
                inputs.Add(random.Next(2) == 0
                    ? ((IndexInput)mine.Clone(), (IndexInput)theirs.Clone())
                    : (ownSlicer.OpenSlice("slice", offset, length), otherSlicer.OpenSlice("slice", offset, length)));
            }
        }
    }

    [Fact]
    public void A_position_before_the_start_of_a_slice_is_not_read()
    {
        using SluiceDirectory directory = new(_folder);
        Write(directory, Name, Workplace.Content(10_000));
        using LuceneDirectory.IndexInputSlicer slicer = directory.CreateSlicer(Name, IOContext.DEFAULT);
        using IndexInput slice = slicer.OpenSlice("slice", 5000, 100);
        foreach (long position in (long[])[-1, -5000, long.MaxValue - 10])
        {
            slice.Seek(position);
            Should.Throw<EndOfStreamException>(() => slice.ReadByte());
        }

        slice.Seek(0);
        slice.ReadByte().ShouldBe(Workplace.Content(10_000)[5000]);
    }

    [Fact]
    public void A_file_that_was_truncated_ends_there()
    {
        using SluiceDirectory directory = new(_folder);
        Write(directory, Name, Workplace.Content(10_000));
        using IndexInput input = directory.OpenInput(Name, IOContext.DEFAULT);
        using (FileStream file = new(PathOf(Name), FileMode.Open, FileAccess.Write, FileShare.ReadWrite))
        {
            file.SetLength(9000);
        }

        Should.Throw<EndOfStreamException>(() => input.ReadBytes(new byte[10_000], 0, 10_000));
    }

    [Fact]
    public void Outputs_write_and_tell_what_those_of_NIOFSDirectory_do()
    {
        using SluiceDirectory own = new(Path.Combine(_folder, "own"));
        using NIOFSDirectory other = new(Path.Combine(_folder, "other"));
        byte[] content = Workplace.Content(100_000);
        Random random = new(2);
        using (IndexOutput mine = own.CreateOutput(Name, IOContext.DEFAULT))
        using (IndexOutput theirs = other.CreateOutput(Name, IOContext.DEFAULT))
        {
            for (int i = 0; i < 2000; i++)
            {
                int length = random.Next(random.Next(2) == 0 ? 40 : 40_000);
                long position = random.NextInt64(mine.Length + 100);
                Action<IndexOutput> step = random.Next(6) switch
                {
                    0 => output => output.WriteByte((byte)length),
                    1 => output => output.WriteVInt32(length),
                    2 => static output => output.Flush(),
#pragma warning disable CS0618 // The member is obsolete, and part of the contract until it is removed.
                    3 => output => output.Seek(position),
#pragma warning restore CS0618
                    _ => output => output.WriteBytes(content, length, length),
                };
                step(mine);
                step(theirs);
                mine.Position.ShouldBe(theirs.Position, $"step {i}");
                mine.Length.ShouldBe(theirs.Length, $"step {i}");
                if (random.Next(20) == 0)
                {
                    mine.Checksum.ShouldBe(theirs.Checksum, $"step {i}");
                }
            }
        }

        File.ReadAllBytes(Path.Combine(_folder, "own", Name)).ShouldBe(File.ReadAllBytes(Path.Combine(_folder, "other", Name)));
    }

    [Fact]
    public void Names_are_listed_replaced_and_deleted_as_by_NIOFSDirectory()
    {
        using SluiceDirectory own = new(Path.Combine(_folder, "1", "own"));
        using NIOFSDirectory other = new(Path.Combine(_folder, "2", "own"));
        UseNames(own).ShouldBe(UseNames(other));

        // A link is replaced, and what it leads to stays.
        File.WriteAllText(PathOf("outside"), "outside");
        File.CreateSymbolicLink(Path.Combine(_folder, "1", "own", "link"), PathOf("outside"));
        Write(own, "link", "inside"u8.ToArray());
        File.ReadAllText(PathOf("outside")).ShouldBe("outside");
        own.FileLength("link").ShouldBe(6);
    }

    [Fact]
    public void What_is_disposed_of_throws()
    {
        SluiceDirectory directory = new(_folder);
        IndexOutput output = directory.CreateOutput(Name, IOContext.DEFAULT);
        output.WriteBytes(new byte[5000], 0, 5000);
        output.Dispose();
        output.Dispose();
        Should.Throw<ObjectDisposedException>(() => output.WriteByte(1));
        Should.Throw<ObjectDisposedException>(() => output.WriteBytes(new byte[5], 0, 5));
        Should.Throw<ObjectDisposedException>(output.Flush);
        Should.Throw<ObjectDisposedException>(() => output.Checksum);
        Should.Throw<ObjectDisposedException>(() => output.Length);
        directory.FileLength(Name).ShouldBe(5000);

        // A clone owns nothing; the input takes its clones with it, and a slicer its slices.
        IndexInput input = directory.OpenInput(Name, IOContext.DEFAULT);
        IndexInput clone = (IndexInput)input.Clone();
        clone.Dispose();
        clone.ReadByte();
        input.ReadByte();
        input.Dispose();
        input.Dispose();
        foreach (IndexInput closed in (IndexInput[])[input, clone, (IndexInput)clone.Clone()])
        {
            closed.Seek(3000);
            Should.Throw<ObjectDisposedException>(() => closed.ReadByte());
        }

        LuceneDirectory.IndexInputSlicer slicer = directory.CreateSlicer(Name, IOContext.DEFAULT);
        IndexInput slice = slicer.OpenSlice("slice", 1, 10);
        slice.Dispose();
        slice.ReadByte();
        IndexInput sliceClone = (IndexInput)slice.Clone();
        slicer.Dispose();
        slicer.Dispose();
        Should.Throw<ObjectDisposedException>(() => sliceClone.ReadByte());

        IndexInput open = directory.OpenInput(Name, IOContext.DEFAULT);
        directory.Dispose();
        directory.Dispose();
        open.ReadByte();
        open.Dispose();
        Should.Throw<ObjectDisposedException>(() => directory.CreateOutput("other", IOContext.DEFAULT));
        Should.Throw<ObjectDisposedException>(() => directory.OpenInput(Name, IOContext.DEFAULT));
        Should.Throw<ObjectDisposedException>(() => directory.CreateSlicer(Name, IOContext.DEFAULT));
        Should.Throw<ObjectDisposedException>(() => directory.DeleteFile(Name));
        Should.Throw<ObjectDisposedException>(() => directory.Sync([Name]));
        OpenFiles.Of(_folder).ShouldBeEmpty();
    }

    [Fact]
    public void Threads_read_one_file_until_it_is_closed()
    {
        using SluiceDirectory directory = new(_folder);
        byte[] content = Workplace.Content(1 << 20);
        Write(directory, Name, content);
        IndexInput input = directory.OpenInput(Name, IOContext.DEFAULT);
        using CountdownEvent reading = new(4);
        Task[] readers =
            [.. Enumerable.Range(0, 4).Select(seed => Task.Factory.StartNew(() => ReadUntilClosed(seed), TaskCreationOptions.LongRunning))];
        reading.Wait();
        input.Dispose();
        Task.WaitAll(readers);

        void ReadUntilClosed(int seed)
        {
            IndexInput clone;
            lock (input)
            {
                clone = (IndexInput)input.Clone();
            }

            Random random = new(seed);
            byte[] bytes = new byte[3000];
            for (int i = 0; ; i++)
            {
                int length = random.Next(bytes.Length);
                int at = random.Next(content.Length - length);
                try
                {
                    clone.Seek(at);
                    clone.ReadBytes(bytes, 0, length);
                }
                catch (ObjectDisposedException)
                {
                    return;
                }

                bytes.AsSpan(0, length).SequenceEqual(content.AsSpan(at, length)).ShouldBeTrue();
                if (i == 1000)
                {
                    reading.Signal();
                }
            }
        }
    }

    [Fact]
    public void Sync_flushes_each_file_once_and_creates_none()
    {
        using SluiceDirectory directory = new(_folder);
        Write(directory, "a", [1]);
        Write(directory, "b", [2]);
        File.WriteAllBytes(PathOf("other"), [3]);
        FlushCount flushes = new();
        using (IoEngine.UseForCurrentContext(flushes))
        {
            directory.Sync(["a", "b", "a"]);
            flushes.Flushes.ShouldBe(2);
            directory.Sync(["a", "b"]);
            flushes.Flushes.ShouldBe(2);

            // Whoever wrote it may not have flushed it.
            directory.Sync(["a", "other"]);
            flushes.Flushes.ShouldBe(3);
            Should.Throw<FileNotFoundException>(() => directory.Sync(["missing"]));
        }

        directory.ListAll().Order(StringComparer.Ordinal).ShouldBe(["a", "b", "other"]);
    }

    [Fact]
    public void A_file_whose_flush_failed_is_refused_until_it_is_written_again()
    {
        using SluiceDirectory directory = new(_folder);
        Write(directory, "a", [1]);
        Write(directory, "b", [2]);
        using (IoEngine.UseForCurrentContext(new FaultyEngine(new FaultPlan(1).FailAt(0, FaultKind.DeviceError))))
        {
            Should.Throw<IOException>(() => directory.Sync(["a"]));
        }

        Should.Throw<IOException>(() => directory.Sync(["b", "a"])).Message.ShouldContain("an earlier flush failed");
        directory.Sync(["b"]);
        Write(directory, "a", [1]);
        directory.Sync(["a"]);
    }

    [Fact]
    public void A_file_whose_name_could_not_be_flushed_is_refused_until_it_is_written_again()
    {
        string index = PathOf("index");
        string elsewhere = PathOf("elsewhere");
        using SluiceDirectory directory = new(index);
        Write(directory, "a", [1]);

        // The folder is gone when its turn comes.
        using (IoEngine.UseForCurrentContext(new FlushCount { OnFlush = () => System.IO.Directory.Move(index, elsewhere) }))
        {
            Should.Throw<DirectoryNotFoundException>(() => directory.Sync(["a"]));
        }

        System.IO.Directory.Move(elsewhere, index);
        Should.Throw<IOException>(() => directory.Sync(["a"])).Message.ShouldContain("an earlier flush failed");
        Write(directory, "a", [1]);
        directory.Sync(["a"]);
    }

    [Fact]
    public void What_is_written_after_a_sync_is_flushed_by_the_next()
    {
        using SluiceDirectory directory = new(_folder);
        FlushCount flushes = new();
        using (IoEngine.UseForCurrentContext(flushes))
        {
            using (IndexOutput output = directory.CreateOutput(Name, IOContext.DEFAULT))
            {
                output.WriteByte(1);
                output.Flush();
                directory.Sync([Name]);
                output.WriteByte(2);
            }

            directory.Sync([Name]);
            flushes.Flushes.ShouldBe(2);
            directory.Sync([Name]);
            flushes.Flushes.ShouldBe(2);
        }
    }

    [Fact]
    public async Task A_failed_flush_is_known_to_a_thread_that_syncs_at_the_same_time()
    {
        using SluiceDirectory directory = new(_folder);
        Write(directory, Name, [1]);
        using FirstFlushFails engine = new();
        using (IoEngine.UseForCurrentContext(engine))
        {
            Task first = Task.Run(() => directory.Sync([Name]));
            engine.Begun.Wait();
            Task second = Task.Run(() => directory.Sync([Name]));

            // Without an order of the two, the second ends now, and finds no error.
            await Task.WhenAny(second, Task.Delay(200));
            engine.Ended.Set();
            await Should.ThrowAsync<IOException>(first);
            await Should.ThrowAsync<IOException>(second);
        }
    }

    [Fact]
    public void An_input_that_cannot_be_opened_leaves_no_file_open()
    {
        using SluiceDirectory directory = new(_folder);
        Write(directory, Name, [1]);
        Should.Throw<NullReferenceException>(() => directory.CreateSlicer(Name, null!));
        Should.Throw<NullReferenceException>(() => directory.OpenInput(Name, null!));
        OpenFiles.Of(_folder).ShouldBeEmpty();
    }

    [Fact]
    public void An_error_of_a_write_reaches_the_caller_and_the_file_is_closed()
    {
        using SluiceDirectory directory = new(_folder);
        IndexOutput output;
        using (IoEngine.UseForCurrentContext(new FaultyEngine(new FaultPlan(1) { Enospc = 1 })))
        {
            output = directory.CreateOutput(Name, IOContext.DEFAULT);
        }

        output.WriteByte(1);
        Should.Throw<IOException>(output.Dispose);
        output.Dispose();
        OpenFiles.Of(_folder).ShouldBeEmpty();
    }

    [Fact]
    public void An_index_has_one_writer_whatever_the_class_of_its_directory()
    {
        using SluiceDirectory own = new(_folder);
        using NIOFSDirectory other = new(_folder);
        using (Lock held = own.MakeLock(IndexWriter.WRITE_LOCK_NAME))
        {
            held.Obtain().ShouldBeTrue();
            using Lock refused = other.MakeLock(IndexWriter.WRITE_LOCK_NAME);
            refused.Obtain().ShouldBeFalse();
        }

        using Lock free = other.MakeLock(IndexWriter.WRITE_LOCK_NAME);
        free.Obtain().ShouldBeTrue();
    }

    private static string[] UseNames(FSDirectory directory) =>
    [
        Outcome(directory.ListAll),
        Outcome(() => directory.OpenInput("a", IOContext.DEFAULT)),
        Outcome(() => Write(directory, "a", [1, 2])),
        Outcome(() => Write(directory, "b", [1])),
        Outcome(() => directory.ListAll().Order(StringComparer.Ordinal).ToArray()),
        Outcome(() => directory.FileLength("a")),
        Outcome(() => Write(directory, "a", [3])),
        Outcome(() => directory.FileLength("a")),
        Outcome(() => directory.FileLength("c")),
        Outcome(() => directory.OpenInput("c", IOContext.DEFAULT)),
        Outcome(() => directory.CreateSlicer("c", IOContext.DEFAULT)),
        Outcome(() => Delete(directory, "a")),
        Outcome(() => Delete(directory, "a")),
        Outcome(() => directory.OpenInput("a", IOContext.DEFAULT)),
        Outcome(directory.ListAll),
        Outcome(directory.GetLockID) is { Length: > 0 } ? "an id" : "none",
    ];

    private static string? Delete(LuceneDirectory directory, string name)
    {
        directory.DeleteFile(name);
        return null;
    }

    private static string? Write(LuceneDirectory directory, string name, byte[] content)
    {
        using IndexOutput output = directory.CreateOutput(name, IOContext.DEFAULT);
        output.WriteBytes(content, 0, content.Length);
        return null;
    }

    private static string Read(IndexInput input, int length, bool useBuffer)
    {
        byte[] bytes = new byte[length];
        input.ReadBytes(bytes, 0, length, useBuffer);
        return Convert.ToHexString(System.Security.Cryptography.SHA256.HashData(bytes));
    }

    /// <summary>The result of a call, or the type of its exception.</summary>
    private static string Outcome(Func<object?> call)
    {
        try
        {
            return call() switch
            {
                null => "done",
                Array array => string.Join(", ", array.Cast<object>()),
                { } result => $"{result}",
            };
        }
        catch (Exception e)
        {
            return e.GetType().Name;
        }
    }

    private string PathOf(string name) => Path.Combine(_folder, name);

    /// <summary>Fails the first flush when it is told to. The kernel reports an error to that flush alone, too.</summary>
    private sealed class FirstFlushFails : InterceptingEngine, IDisposable
    {
        private int _flushes;

        public ManualResetEventSlim Begun { get; } = new();

        public ManualResetEventSlim Ended { get; } = new();

        public override string Name => "failing the first flush";

        public void Dispose()
        {
            Begun.Dispose();
            Ended.Dispose();
        }

        protected override Interception OnSubmit(in IoSubmission submission)
        {
            if (submission.IsRead || submission.IsWrite || Interlocked.Increment(ref _flushes) > 1)
            {
                return Interception.PassOn;
            }

            Begun.Set();
            Ended.Wait();
            return Interception.Fail(5);
        }
    }
}
