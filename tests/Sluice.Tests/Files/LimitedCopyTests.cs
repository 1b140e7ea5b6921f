using System.Runtime.Versioning;

namespace Sluice.Tests.Files;

/// <summary>Copies of so many bytes a second.</summary>
[UnsupportedOSPlatform("windows")]
public sealed class LimitedCopyTests : IDisposable
{
    private const int StepBytes = 64 * 1024;

    private readonly TempFolder _temp = new();

    public void Dispose() => _temp.Dispose();

    [Theory]
    [InlineData(0L)]
    [InlineData(-1L)]
    public void A_limit_is_more_than_nothing(long rate) =>
        Should.Throw<ArgumentOutOfRangeException>(() => new CopyOptions { BytesPerSecond = rate });

    [Theory]
    [InlineData(1L, StepBytes)]
    [InlineData(1L << 20, StepBytes)]
    [InlineData(10L << 20, 16 * StepBytes)]
    [InlineData(1L << 40, 1 << 24)]
    [InlineData(null, 1 << 24)]
    public void Pieces_are_those_of_a_tenth_of_a_second(long? rate, int piece) =>
        new CopyOptions { BytesPerSecond = rate }.PieceBytes(1 << 24).ShouldBe(piece);

    [SkippableTheory]
    [InlineData(CopyMethod.Auto)]
    [InlineData(CopyMethod.Buffered)]
    [InlineData(CopyMethod.CopyFileRange)]
    [InlineData(CopyMethod.Direct)]
    public async Task A_limited_copy_is_whole(CopyMethod method)
    {
        Skip.IfNot(OperatingSystem.IsLinux(), "elsewhere pieces are whole files");
        byte[] content = Bytes.Pattern(1 << 20);
        string source = _temp.NewFile(content);
        string target = _temp.NewPath();
        CopyResult result = await SluiceFile.CopyAsync(source, target, new CopyOptions { Method = method, BytesPerSecond = 2 << 20 });
        Skip.If(result.Method == CopyMethod.Reflink, "shared blocks take no time");
        File.ReadAllBytes(target).ShouldBe(content);
    }

    /// <summary>What the limit holds back would take days; what was cancelled leaves nothing.</summary>
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_copy_that_waits_for_its_limit_ends_when_it_is_cancelled(bool isTree)
    {
        string folder = _temp.NewPath();
        Directory.CreateDirectory(folder);
        string file = Path.Combine(folder, "file");
        File.WriteAllBytes(file, Bytes.Pattern(1 << 20));
        string target = _temp.NewPath();
        using CancellationTokenSource stop = new();
        Task<CopyResult> copy = SluiceFile.CopyAsync(
            isTree ? folder : file, target,
            new CopyOptions { Method = CopyMethod.Buffered, Recurse = isTree, BytesPerSecond = 1, Progress = new Within(stop.Cancel) },
            stop.Token);
        await Should.ThrowAsync<OperationCanceledException>(() => copy);
        File.Exists(isTree ? Path.Combine(target, "file") : target).ShouldBeFalse();
    }

    /// <summary>A thread of the pool is others' too, and a limit may hold a small file back for as long as it likes.</summary>
    [SkippableFact]
    public async Task A_copy_that_waits_for_its_limit_has_no_thread_of_the_pool()
    {
        Skip.IfNot(OperatingSystem.IsLinux(), "shared blocks are looked at below");
        string source = _temp.NewFile(Bytes.Pattern(2 * StepBytes));
        List<bool> onPool = [];
        CopyOptions options = new()
        {
            Method = CopyMethod.Buffered,
            BytesPerSecond = 1 << 20,
            Progress = new Within(() => onPool.Add(Thread.CurrentThread.IsThreadPoolThread)),
        };
        _ = await SluiceFile.CopyAsync(source, _temp.NewPath(), options);
        onPool.ShouldNotBeEmpty();
        onPool.ShouldAllBe(isOnPool => !isOnPool);
    }

    /// <summary>By the limit this would take weeks.</summary>
    [SkippableFact]
    public async Task Holes_take_no_time()
    {
        Skip.IfNot(OperatingSystem.IsLinux(), "elsewhere holes are copied as zeros");
        const int length = 3 << 20;
        string source = _temp.NewPath();
        Directory.CreateDirectory(source);
        using (FileStream hole = new(Path.Combine(source, "hole"), FileMode.CreateNew))
        {
            hole.SetLength(length);
        }

        string target = _temp.NewPath();
        CopyOptions options = new() { Recurse = true, BytesPerSecond = 1 };
        _ = await SluiceFile.CopyAsync(source, target, options).WaitAsync(TimeSpan.FromMinutes(1));
        File.ReadAllBytes(Path.Combine(target, "hole")).ShouldBe(new byte[length]);
    }

    /// <summary>One thread of a tree's copy fails while another one waits for its limit.</summary>
    [SkippableFact]
    public async Task A_tree_that_has_failed_waits_for_no_limit()
    {
        Skip.IfNot(OperatingSystem.IsLinux(), "elsewhere a tree is copied by one thread");
        string source = _temp.NewPath();
        string target = _temp.NewPath();
        Directory.CreateDirectory(Path.Combine(source, "y", "z"));
        File.WriteAllBytes(Path.Combine(source, "file"), Bytes.Pattern(1 << 20));
        Directory.CreateDirectory(Path.Combine(target, "y"));
        File.WriteAllText(Path.Combine(target, "y", "z"), "no folder");
        using ManualResetEventSlim moved = new();
        CopyOptions options = new()
        {
            Recurse = true,
            BytesPerSecond = 1,
            Progress = new Within(moved.Set),
            Exclude = path =>
            {
                if (path.EndsWith('z'))
                {
                    moved.Wait();
                }

                return false;
            },
        };
        Task<CopyResult> copy = SluiceFile.CopyAsync(source, target, options);
        FileBatchException failed = await Should.ThrowAsync<FileBatchException>(() => copy.WaitAsync(TimeSpan.FromMinutes(1)));
        failed.Failures.ShouldHaveSingleItem().Error.Message.ShouldContain("a file or a link has that name");
        Path.Exists(Path.Combine(target, "file")).ShouldBeFalse();
    }
}
