using System.Runtime.Versioning;
using Sluice.Tests.Shared;

namespace Sluice.Tests.Files;

/// <summary>Batches of small files: every file its own content or its own error.</summary>
public sealed class SmallFileBatchTests : IDisposable
{
    private readonly TempFolder _temp = new();

    public void Dispose() => _temp.Dispose();

    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    [InlineData(7)]
    public async Task Every_path_has_its_result_in_order(int degree)
    {
        // Empty, short, at the border of "large" in Debug builds, large, and a period that no power of two hides.
        int[] lengths = [0, 1, 4095, 4096, 4097, 100, 30_000];
        string[] paths = [.. Enumerable.Range(0, 200).Select(i => _temp.NewFile(Bytes.Pattern(lengths[i % lengths.Length], i)))];
        int next = 0;
        await foreach (FileReadResult result in SluiceFile.ReadManyAsync(paths, new FileBatchOptions { MaxDegreeOfParallelism = degree }))
        {
            result.Path.ShouldBe(paths[next]);
            result.Error.ShouldBeNull();
            result.GetContent().ShouldBeBytes(Bytes.Pattern(lengths[next % lengths.Length], next), result.Path);
            next++;
        }

        next.ShouldBe(paths.Length);
    }

    [Fact]
    public async Task Paths_of_every_form_lead_where_they_lead_NET()
    {
        string one = Directory.CreateDirectory(_temp.NewPath()).FullName;
        string two = Directory.CreateDirectory(Path.Combine(one, "zwö")).FullName;
        string longName = new('n', 255);
        foreach (string folder in (string[])[one, two])
        {
            foreach (string name in (string[])["a", longName, "ä€"])
                File.WriteAllText(Path.Combine(folder, name), folder + name);
        }

        string link = _temp.NewPath();
        Directory.CreateSymbolicLink(link, two);
        string relative = Path.GetRelativePath(Environment.CurrentDirectory, one);
        string[] forms =
        [
            one + "/a", two + "/a", one + "/ä€", two + "/" + longName, one + "/zwö/../a", one + "//a", one + "/./a", relative + "/a",
            link + "/a", link + "/../a", one + "/" + longName + "n", one + "/a/", one + "/a/.", one + "/..", one + "/zwö", one + "/gone/a",
            one + "/a/b", "", "/", ".", one + "/a\0b", one + "\0/a", "no such file",
        ];
        FileReadResult[] results =
            await SluiceFile.ReadManyAsync([.. forms, .. forms.Reverse()], new FileBatchOptions { ContinueOnError = true }).ToArrayAsync();
        for (int i = 0; i < forms.Length; i++)
        {
            foreach (FileReadResult result in (FileReadResult[])[results[i], results[^(i + 1)]])
            {
                Exception? expected = Record.Exception(() => File.ReadAllBytes(forms[i]));
                (result.Error?.GetType()).ShouldBe(expected?.GetType(), forms[i]);
                if (expected is null)
                {
                    result.GetContent().ShouldBeBytes(File.ReadAllBytes(forms[i]), forms[i]);
                }
            }
        }
    }

    [Fact]
    public async Task Cold_files_are_read_too()
    {
        string[] paths = [.. Enumerable.Range(0, 100).Select(i => _temp.NewFile(Bytes.Pattern(1 + (i * 13 % 4096), i)))];
        foreach (string path in paths)
        {
            using SluiceHandle handle = SluiceHandle.Open(path, FileMode.Open, FileAccess.ReadWrite);
            Internals.Drop(handle);
        }

        byte[][] contents = await ContentsAsync(paths);
        for (int i = 0; i < paths.Length; i++)
        {
            contents[i].ShouldBeBytes(Bytes.Pattern(1 + (i * 13 % 4096), i), paths[i]);
        }
    }

    [Fact]
    public async Task One_that_fails_has_the_exception_of_File_and_the_rest_goes_on()
    {
        string good = _temp.NewFile(10);
        string locked = _temp.NewFile(10);
        using FileStream _ = new(locked, FileMode.Open, FileAccess.ReadWrite, FileShare.None);
        string[] paths = [good, _temp.NewPath(), _temp.Root, locked, "", null!, "a\0b", Path.Combine(_temp.NewPath(), "x"), good];
        List<FileReadResult> results = await ResultsAsync(paths, new FileBatchOptions { ContinueOnError = true });
        for (int i = 0; i < paths.Length; i++)
        {
            Exception? expected = Record.Exception(() => File.ReadAllBytes(paths[i]));
            results[i].Path.ShouldBe(paths[i]);
            (results[i].Error?.GetType()).ShouldBe(expected?.GetType(), $"path {i}");
            (results[i].Content is null).ShouldBe(expected is not null);
        }

        results.Count(r => r.Error is not null).ShouldBe(7);
        Should.Throw<FileNotFoundException>(() => results[1].GetContent());
        await Should.ThrowAsync<FileNotFoundException>(() => ResultsAsync(paths));
    }

    [SkippableFact]
    public async Task Files_of_proc_are_read()
    {
        Skip.IfNot(File.Exists("/proc/version"), "there is no /proc here");
        (await ContentsAsync(["/proc/version"]))[0].ShouldBeBytes(File.ReadAllBytes("/proc/version"));
    }

    [Fact]
    public async Task Cancelling_and_leaving_end_the_batch()
    {
        string[] paths = [.. Enumerable.Range(0, 200).Select(i => _temp.NewFile(100))];
        using CancellationTokenSource source = new();
        int seen = 0;
        await Should.ThrowAsync<OperationCanceledException>(async () =>
        {
            await foreach (FileReadResult _ in SluiceFile.ReadManyAsync(paths, null, source.Token))
            {
                if (++seen == 10)
                {
                    await source.CancelAsync();
                }
            }
        });
        seen.ShouldBe(10);
        await foreach (FileReadResult result in SluiceFile.ReadManyAsync(paths))
        {
            result.Path.ShouldBe(paths[0]);
            break;
        }
    }

    [Fact]
    public async Task A_batch_of_writes_that_is_cancelled_in_its_midst_does_not_end_as_complete()
    {
        using CancellationTokenSource source = new();
        await Should.ThrowAsync<OperationCanceledException>(() => SluiceFile.WriteManyAsync(Files(), null, source.Token));

        IEnumerable<(string Path, ReadOnlyMemory<byte> Bytes)> Files()
        {
            yield return (_temp.NewPath(), new byte[10]);
            source.Cancel();
            yield return (_temp.NewPath(), new byte[10]);
        }
    }

    [Fact]
    public async Task Paths_are_taken_as_the_caller_goes_on()
    {
        string path = _temp.NewFile(100);
        int taken = 0;
        await foreach (FileReadResult _ in SluiceFile.ReadManyAsync(Endless(), new FileBatchOptions { MaxDegreeOfParallelism = 2 }))
        {
            break;
        }

        taken.ShouldBeInRange(1, 64 * 4);

        IEnumerable<string> Endless()
        {
            while (true)
            {
                taken++;
                yield return path;
            }
        }
    }

    /// <summary>Two writes of one file at the same time would mix their bytes; chance decides, so that several rounds are made.</summary>
    [Fact]
    public async Task Of_two_contents_of_one_path_the_later_one_is_written_last()
    {
        string folder = Directory.CreateDirectory(_temp.NewPath()).FullName;
        byte[] first = Bytes.Pattern(400_000, 1), second = Bytes.Pattern(200_000, 2);
        for (int round = 0; round < 10; round++)
        {
            (string, ReadOnlyMemory<byte>)[] files =
            [
                (Path.Combine(folder, "twice"), first),
                .. Enumerable.Range(0, 31).Select(i => (Path.Combine(folder, $"{i}"), new ReadOnlyMemory<byte>(first, 0, 10))),
                (Path.Combine(folder, ".", "twice"), second),
            ];
            await SluiceFile.WriteManyAsync(files, new FileBatchOptions { MaxDegreeOfParallelism = 4 });
            (await File.ReadAllBytesAsync(Path.Combine(folder, "twice"))).ShouldBeBytes(second);
        }
    }

    [Fact]
    public async Task Written_files_are_those_of_File()
    {
        List<(string Path, ReadOnlyMemory<byte> Bytes)> files = [];
        for (int i = 0; i < 300; i++)
        {
            // Every third one is there already, longer or shorter.
            string path = i % 3 == 0 ? _temp.NewFile(500) : _temp.NewPath();
            files.Add((path, Bytes.Pattern(i * 7, i)));
        }

        await SluiceFile.WriteManyAsync(files);
        foreach ((string path, ReadOnlyMemory<byte> bytes) in files)
        {
            File.ReadAllBytes(path).ShouldBeBytes(bytes.Span, path);
        }

        string reference = _temp.NewPath();
        File.WriteAllBytes(reference, [1]);
        if (!OperatingSystem.IsWindows())
        {
            File.GetUnixFileMode(files[1].Path).ShouldBe(File.GetUnixFileMode(reference));
        }
    }

    [Fact]
    public async Task A_write_that_fails_is_reported_and_the_rest_is_written()
    {
        string locked = _temp.NewFile(10);
        using FileStream _ = new(locked, FileMode.Open, FileAccess.ReadWrite, FileShare.None);
        string good = _temp.NewPath();
        (string Path, ReadOnlyMemory<byte> Bytes)[] files =
            [(Path.Combine(_temp.NewPath(), "x"), new byte[3]), (_temp.Root, new byte[3]), (locked, new byte[3]), ("", new byte[3]),
                (good, new byte[3])];
        FileBatchException all = await Should.ThrowAsync<FileBatchException>(() =>
            SluiceFile.WriteManyAsync(files, new FileBatchOptions { MaxDegreeOfParallelism = 1, ContinueOnError = true }));
        all.Failures.Select(f => f.Path).ShouldBe(files[..4].Select(f => f.Path));
        all.FilesCompleted.ShouldBe(1);
        all.BytesCompleted.ShouldBe(3);
        all.InnerException.ShouldBe(all.Failures[0].Error);
        foreach (FileFailure failure in all.Failures)
        {
            failure.Error.GetType().ShouldBe(Record.Exception(() => File.WriteAllBytes(failure.Path, new byte[3]))?.GetType());
        }

        File.ReadAllBytes(good).Length.ShouldBe(3);
        new FileInfo(locked).Length.ShouldBe(10);
        File.Delete(good);
        FileBatchException first = await Should.ThrowAsync<FileBatchException>(() =>
            SluiceFile.WriteManyAsync(files, new FileBatchOptions { MaxDegreeOfParallelism = 1 }));
        first.Failures.Select(f => f.Path).ShouldBe([files[0].Path]);
        first.InnerException.ShouldBeOfType<DirectoryNotFoundException>();
        File.Exists(good).ShouldBeFalse();
    }

    [SkippableTheory]
    [InlineData(UnixFileMode.UserRead | UnixFileMode.UserWrite)]
    [InlineData(UnixFileMode.UserRead)]
    [UnsupportedOSPlatform("windows")]
    public async Task Files_that_are_made_have_the_permissions_that_were_asked_for_and_others_keep_theirs(UnixFileMode mode)
    {
        Skip.If(OperatingSystem.IsWindows(), "Windows has no Unix permissions");
        const UnixFileMode old = UnixFileMode.UserRead | UnixFileMode.UserWrite | UnixFileMode.UserExecute;
        string present = _temp.NewFile(10);
        File.SetUnixFileMode(present, old);
        (string Path, ReadOnlyMemory<byte> Bytes)[] files =
            [(present, new byte[3]), (_temp.NewPath(), new byte[4]), (_temp.NewPath(), default)];
        await SluiceFile.WriteManyAsync(files, new FileBatchOptions { UnixCreateMode = mode });
        File.GetUnixFileMode(present).ShouldBe(old);
        files[1..].ShouldAllBe(f => File.GetUnixFileMode(f.Path) == mode);
        files.ShouldAllBe(f => new FileInfo(f.Path).Length == f.Bytes.Length);
        Should.Throw<ArgumentException>(static () => new FileBatchOptions { UnixCreateMode = (UnixFileMode)0x10000 });
    }

    [SkippableTheory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_FIFO_is_refused_and_holds_nobody_up(bool hasOtherEnd)
    {
        string fifo = _temp.NewFifo();
        using FileStream? otherEnd = hasOtherEnd ? new FileStream(fifo, FileMode.Open, FileAccess.ReadWrite) : null;
        string[] paths = [_temp.NewFile(10), fifo, _temp.NewFile(20), .. Enumerable.Range(0, 50).Select(i => _temp.NewFile(i))];
        FileBatchOptions options = new() { ContinueOnError = true, MaxDegreeOfParallelism = 1 };
        List<FileReadResult> results = await ResultsAsync(paths, options).WaitAsync(TimeSpan.FromMinutes(1));
        results.Where(r => r.Error is not null).Select(r => r.Path).ShouldBe([fifo]);
        results[1].Error.ShouldBeOfType<IOException>().Message.ShouldContain("FIFO");
        results[2].GetContent().Length.ShouldBe(20);

        FileBatchException thrown = await Should.ThrowAsync<FileBatchException>(() =>
            SluiceFile.WriteManyAsync(paths.Select(p => (p, (ReadOnlyMemory<byte>)new byte[5])),
                options).WaitAsync(TimeSpan.FromMinutes(1)));
        FileFailure failure = thrown.Failures.Single();
        failure.Path.ShouldBe(fifo);
        failure.Error.ShouldBeOfType<IOException>().Message.ShouldContain("FIFO");
        thrown.FilesCompleted.ShouldBe(paths.Length - 1);
    }

    [SkippableFact]
    public async Task Relative_names_fail_alone_where_the_current_folder_is_gone()
    {
        Skip.IfNot(OperatingSystem.IsLinux(), "elsewhere a current folder cannot be removed, or what is open not be counted");
        (await ChildProcess.RunAsync("batch-without-folder", _temp.Root).WaitAsync(TimeSpan.FromMinutes(2))).ShouldBe(0);
    }

    [Theory]
    [InlineData(0)]
    [InlineData(31)]
    [InlineData(32)]
    [InlineData(33)]
    [InlineData(400)]
    public async Task A_sequence_that_throws_does_so_in_its_place(int count)
    {
        string[] paths = [.. Enumerable.Range(0, count).Select(i => _temp.NewFile(Bytes.Pattern(10, i)))];
        List<FileReadResult> read = [];
        InvalidOperationException thrown = await Should.ThrowAsync<InvalidOperationException>(async () =>
        {
            await foreach (FileReadResult result in SluiceFile.ReadManyAsync(Throwing(paths),
                new FileBatchOptions { MaxDegreeOfParallelism = 3 }))
            {
                read.Add(result);
            }
        });
        thrown.Message.ShouldBe("the sequence");
        read.Select(r => r.Path).ShouldBe(paths);

        (string Path, ReadOnlyMemory<byte> Bytes)[] files = [.. paths.Select(p => (p + ".new", (ReadOnlyMemory<byte>)new byte[7]))];
        (await Should.ThrowAsync<InvalidOperationException>(() =>
            SluiceFile.WriteManyAsync(Throwing(files)))).Message.ShouldBe("the sequence");
        files.ShouldAllBe(f => new FileInfo(f.Path).Length == 7);

        static IEnumerable<T> Throwing<T>(T[] items)
        {
            foreach (T item in items)
            {
                yield return item;
            }

            throw new InvalidOperationException("the sequence");
        }
    }

    [SkippableFact]
    public async Task Nothing_stays_open_of_a_batch()
    {
        Skip.IfNot(Directory.Exists("/proc/self/fd"), "there is no list of what is open");
        List<string> paths = [];
        for (int i = 0; i < 4; i++)
        {
            string folder = Directory.CreateDirectory(_temp.NewPath()).FullName;
            for (int k = 0; k < 40; k++)
            {
                string path = Path.Combine(folder, $"{k}");
                File.WriteAllBytes(path, Bytes.Pattern(1 + (k * 20), k));
                paths.Add(path);
            }
        }

        await foreach (FileReadResult result in SluiceFile.ReadManyAsync(paths))
        {
            result.GetContent().ShouldNotBeEmpty();
        }

        await SluiceFile.WriteManyAsync(paths.Select(path => (path, (ReadOnlyMemory<byte>)new byte[7])));
        OpenFiles.Of(_temp.Root).ShouldBeEmpty();
    }

    private static async Task<byte[][]> ContentsAsync(string[] paths) => [.. (await ResultsAsync(paths)).Select(r => r.GetContent())];

    private static Task<List<FileReadResult>> ResultsAsync(string[] paths, FileBatchOptions? options = null) =>
        SluiceFile.ReadManyAsync(paths, options).ToListAsync().AsTask();
}
