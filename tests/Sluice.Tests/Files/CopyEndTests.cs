using System.Runtime.Versioning;

namespace Sluice.Tests.Files;

/// <summary>How a copy ends that does not end well: cancelled as the caller said, or with every failure in one exception.</summary>
[UnsupportedOSPlatform("windows")]
public sealed class CopyEndTests : IDisposable
{
    private readonly TempFolder _temp = new();

    public static TheoryData<bool, long> Sources => new() { { false, 100 }, { false, 3_000_000 }, { true, 100 }, { true, 3_000_000 } };

    public void Dispose() => _temp.Dispose();

    [Theory]
    [MemberData(nameof(Sources))]
    public async Task A_cancelled_copy_is_cancelled_with_the_callers_token(bool isTree, long length)
    {
        foreach (bool throws in (bool[])[false, true])
        {
            using CancellationTokenSource stop = new();
            using CancellationTokenSource linked = CancellationTokenSource.CreateLinkedTokenSource(stop.Token);
            Within cancels = new(() =>
            {
                stop.Cancel();

                // The progress may have a token of its own that ends with the caller's.
                (throws ? linked.Token : CancellationToken.None).ThrowIfCancellationRequested();
            });
            CopyOptions options = new() { Recurse = isTree, Progress = cancels };

            Task<CopyResult> copy = SluiceFile.CopyAsync(NewSource(isTree, (int)length), _temp.NewPath(), options, stop.Token);

            OperationCanceledException error = await Should.ThrowAsync<OperationCanceledException>(() => copy);
            copy.IsCanceled.ShouldBeTrue();
            error.CancellationToken.ShouldBe(stop.Token);
        }
    }

    /// <summary>Whoever shows what a copy has done shows all of it, when it was cancelled too.</summary>
    [SkippableTheory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task What_a_cancelled_copy_had_done_is_told_at_its_end(bool isTree)
    {
        Skip.IfNot(OperatingSystem.IsLinux(), "the copy of a file elsewhere is one call");
        using CancellationTokenSource stop = new();
        List<CopyProgress> told = [];
        Telling progress = new(p =>
        {
            told.Add(p);
            stop.Cancel();
        });
        CopyOptions options = new() { Recurse = isTree, Method = CopyMethod.Buffered, Progress = progress };
        await Should.ThrowAsync<OperationCanceledException>(
            () => SluiceFile.CopyAsync(NewSource(isTree, 12 << 20), _temp.NewPath(), options, stop.Token));
        told.Count.ShouldBe(2);
        told[1].Bytes.ShouldBeGreaterThanOrEqualTo(told[0].Bytes);
    }

    [SkippableFact]
    public async Task A_copy_that_was_cancelled_is_gone_on_from_where_it_was()
    {
        Skip.IfNot(OperatingSystem.IsLinux(), "temporary files are kept on Linux");
        byte[] content = Bytes.Pattern(12 << 20);
        string source = _temp.NewFile(content);
        string target = _temp.NewPath();
        using CancellationTokenSource stop = new();
        CopyOptions first = new() { Method = CopyMethod.Buffered, Resume = true, Progress = new Within(stop.Cancel) };
        await Should.ThrowAsync<OperationCanceledException>(() => SluiceFile.CopyAsync(source, target, first, stop.Token));
        Directory.GetFileSystemEntries(_temp.Root).Length.ShouldBe(2);
        File.Exists(target).ShouldBeFalse();
        CopyOptions second = new() { Method = CopyMethod.Buffered, Resume = true };
        CopyResult result = await SluiceFile.CopyAsync(source, target, second);
        result.ResumedBytes.ShouldBeInRange(1, content.Length - 1);
        File.ReadAllBytes(target).ShouldBeBytes(content);
        Directory.GetFileSystemEntries(_temp.Root).Length.ShouldBe(2);
    }

    [SkippableTheory]
    [InlineData(CopyMethod.Auto)]
    [InlineData(CopyMethod.CopyFileRange)]
    [InlineData(CopyMethod.Buffered)]
    public async Task A_source_that_is_cut_in_front_of_where_the_copy_is_ends_there(CopyMethod method)
    {
        Skip.IfNot(OperatingSystem.IsLinux(), "the portable way cannot see it");
        const int left = 200_000;
        byte[] content = Bytes.Pattern(36 << 20);
        string source = _temp.NewFile(content);
        string target = _temp.NewPath();
        Within cuts = new(() =>
        {
            using SluiceHandle handle = SluiceHandle.Open(source, FileMode.Open, FileAccess.Write, FileShare.ReadWrite);
            handle.SetLength(left);
        });
        CopyResult result;
        try
        {
            result = await SluiceFile.CopyAsync(source, target, new CopyOptions { Method = method, Progress = cuts });
        }
        catch (IOException e) when (e.Message.Contains("not possible here", StringComparison.Ordinal))
        {
            Skip.If(condition: true, e.Message);
            throw;
        }

        Skip.If(result.Method == CopyMethod.Reflink, "the file system shares blocks: there is nothing between");
        (result.Bytes, result.ChangedFiles).ShouldBe((left, 1));
        File.ReadAllBytes(target).ShouldBeBytes(content.AsSpan(0, left));
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Nothing_of_a_copy_stays_on_a_token_that_lives_longer(bool isTree)
    {
        using CancellationTokenSource lasting = new();
        string source = NewSource(isTree, 100);
        for (int i = 0; i < 20; i++)
        {
            _ = await SluiceFile.CopyAsync(source, _temp.NewPath(), new CopyOptions { Recurse = isTree }, lasting.Token);
        }

        Registrations(lasting).ShouldBe(0);

        // The count sees what is there.
        using CancellationTokenRegistration one = lasting.Token.Register(() => { });
        Registrations(lasting).ShouldBe(1);
    }

    [SkippableTheory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task The_first_failure_of_a_tree_ends_it_unless_it_is_to_go_on(bool continues)
    {
        Skip.IfNot(OperatingSystem.IsLinux(), "the parallel way is Linux's");
        string source = NewSource(isTree: true, 1000);
        string target = Directory.CreateDirectory(_temp.NewPath()).FullName;
        for (int i = 0; i < 300; i++)
        {
            File.WriteAllBytes(Path.Combine(source, $"{i}"), Bytes.Pattern(10, i));
            if (i % 3 == 0)
            {
                File.WriteAllText(Path.Combine(target, $"{i}"), "mine");
            }
        }

        CopyOptions options = new() { Recurse = true, ContinueOnError = continues };
        FileBatchException error = await Should.ThrowAsync<FileBatchException>(() => SluiceFile.CopyAsync(source, target, options));
        error.Message.ShouldContain(error.Failures[0].Path);
        error.Failures.ShouldAllBe(failure => failure.Error.Message.Contains("there already"));
        error.Failures.Count.ShouldBe(continues ? 100 : 1);
        File.ReadAllText(Path.Combine(target, "3")).ShouldBe("mine");
        error.FilesCompleted.ShouldBe(Directory.GetFiles(target).Length - 100);
        if (continues)
        {
            (error.FilesCompleted, error.BytesCompleted).ShouldBe((201, 3000));
        }
    }

    [SkippableTheory]
    [InlineData(CopyMethod.Auto)]
    [InlineData(CopyMethod.Direct)]
    [InlineData(CopyMethod.CopyFileRange)]
    [InlineData(CopyMethod.Buffered)]
    public async Task What_the_progress_throws_ends_the_copy_at_any_call_and_leaves_nothing(CopyMethod method)
    {
        Skip.IfNot(OperatingSystem.IsLinux(), "methods are Linux's");
        foreach (bool isTree in (bool[])[false, true])
        {
            string source = NewSource(isTree, 3_000_000);
            for (int n = 1; ; n++)
            {
                // Every other file replaces one that is there.
                bool overwrites = !isTree && n % 2 == 0;
                string target = overwrites ? _temp.NewFile(100) : _temp.NewPath();
                Throwing throws = new(n);
                CopyOptions options = new()
                {
                    Recurse = isTree,
                    Overwrite = overwrites,
                    Method = method,
                    Depth = 4,
                    Progress = throws,
                };
                Exception? error = await Record.ExceptionAsync(() => SluiceFile.CopyAsync(source, target, options));
                Skip.If(error?.Message.Contains("not possible here") == true, error?.Message);
                if (!throws.HasThrown)
                {
                    error.ShouldBeNull();
                    break;
                }

                error.ShouldBeOfType<InvalidDataException>();

                // The last call comes when the copy has its name: it is whole then.
                string copied = isTree ? Path.Combine(target, "file") : target;
                if (Path.Exists(copied))
                {
                    byte[] content = File.ReadAllBytes(copied);
                    content.ShouldBeBytes(Bytes.Pattern(overwrites && content.Length == 100 ? 100 : 3_000_000));
                }

                Directory.GetFileSystemEntries(_temp.Root, ".*").ShouldBeEmpty($"{method}, call {n}");
            }
        }
    }

    [Fact]
    public async Task Options_that_contradict_each_other_or_have_no_meaning_are_refused()
    {
        string source = _temp.NewFile(10);
        await Should.ThrowAsync<ArgumentException>(() => SluiceFile.CopyAsync(
            source, _temp.NewPath(), new CopyOptions { PreserveMetadata = true, UnixCreateMode = UnixFileMode.UserRead }));
        await Should.ThrowAsync<ArgumentException>(
            () => SluiceFile.CopyAsync(_temp.Root, _temp.NewPath(), new CopyOptions { Recurse = true, Resume = true }));
        await Should.ThrowAsync<ArgumentException>(
            () => SluiceFile.CopyAsync(_temp.Root, _temp.NewPath(), new CopyOptions { Shard = new Shard(0, 2) }));
        Should.Throw<ArgumentException>(() => new CopyOptions { UnixCreateMode = (UnixFileMode)0x1000 });
        Should.Throw<ArgumentException>(() => new ReplaceOptions { UnixCreateMode = (UnixFileMode)0x1000 });
        Should.Throw<ArgumentOutOfRangeException>(() => new CopyOptions { Depth = 65 });
        Should.Throw<ArgumentOutOfRangeException>(() => new CopyOptions { Depth = 0 });
        new CopyOptions().Depth.ShouldBe(CopyOptions.DefaultDepth);
    }

    [SkippableFact]
    public async Task What_had_failed_in_a_tree_before_it_was_cancelled_is_told()
    {
        Skip.IfNot(OperatingSystem.IsLinux(), "files with several names, which are copied after all others");
        string source = NewSource(isTree: true, 3_000_000);
        Trees.Run("ln", Path.Combine(source, "file"), Path.Combine(source, "second name"));
        string there = Path.Combine(source, "there");
        File.WriteAllText(there, "a");
        string target = Directory.CreateDirectory(_temp.NewPath()).FullName;
        File.WriteAllText(Path.Combine(target, "there"), "b");
        using CancellationTokenSource stop = new();
        CopyOptions options = new()
        {
            Recurse = true,
            PreserveMetadata = true,
            ContinueOnError = true,
            Method = CopyMethod.Buffered,
            Progress = new Within(stop.Cancel),
        };
        Task<CopyResult> copy = SluiceFile.CopyAsync(source, target, options, stop.Token);
        // Shouldly makes an exception of its own of a task that was cancelled.
        OperationCanceledException error = await Assert.ThrowsAnyAsync<OperationCanceledException>(() => copy);
        copy.IsCanceled.ShouldBeTrue();
        error.CancellationToken.ShouldBe(stop.Token);
        error.InnerException.ShouldBeOfType<FileBatchException>().Failures.Select(f => f.Path).ShouldBe([there]);
    }

    [SkippableTheory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_copy_has_the_permissions_that_are_asked_for(bool isTree)
    {
        Skip.IfNot(OperatingSystem.IsLinux(), "modes");
        const UnixFileMode mode = UnixFileMode.UserRead | UnixFileMode.UserWrite | UnixFileMode.UserExecute;
        string target = _temp.NewPath();
        _ = await SluiceFile.CopyAsync(NewSource(isTree, 100), target, new CopyOptions { Recurse = isTree, UnixCreateMode = mode });
        File.GetUnixFileMode(isTree ? Path.Combine(target, "file") : target).ShouldBe(mode);
    }

    private sealed class Throwing(int at) : IProgress<CopyProgress>
    {
        private int _calls;

        public bool HasThrown { get; private set; }

        public void Report(CopyProgress value)
        {
            if (Interlocked.Increment(ref _calls) == at)
            {
                HasThrown = true;
                throw new InvalidDataException();
            }
        }
    }

    private static int Registrations(CancellationTokenSource source)
    {
        const System.Reflection.BindingFlags inside = System.Reflection.BindingFlags.NonPublic | System.Reflection.BindingFlags.Instance;
        object? all = typeof(CancellationTokenSource).GetField("_registrations", inside)!.GetValue(source);
        object? node = all?.GetType().GetField("Callbacks")!.GetValue(all);
        int count = 0;
        while (node is not null)
        {
            count++;
            node = node.GetType().GetField("Next")!.GetValue(node);
        }

        return count;
    }

    private string NewSource(bool isTree, int length)
    {
        if (!isTree)
        {
            return _temp.NewFile(length);
        }

        string folder = Directory.CreateDirectory(_temp.NewPath()).FullName;
        File.WriteAllBytes(Path.Combine(folder, "file"), Bytes.Pattern(length));
        return folder;
    }
}
