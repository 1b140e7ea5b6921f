using Shouldly;
using Sluice.Cli.Bench.Files;
using Sluice.Cli.Tests.Support;
using Xunit;

namespace Sluice.Cli.Tests.Bench;

public sealed class FileTreeTests
{
    private const int Files = 100_000;

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task Who_makes_a_tree_of_many_files_hears_of_the_end_before_the_last(bool isFlat)
    {
        using var folder = new TempFolder();
        string root = folder["tree"];
        using var cancelled = new CancellationTokenSource();
        Task making = Task.Run(() => FileTree.Ensure(root, Files, 0, isFlat, cancelled.Token));
        while (!making.IsCompleted && !MadeIn(root).Any())
            await Task.Delay(1);
        cancelled.Cancel();
        await Should.ThrowAsync<OperationCanceledException>(() => making);
        MadeIn(root).Count().ShouldBeInRange(1, Files - 1);
    }

    [Fact]
    public void A_tree_that_is_not_wanted_any_more_is_not_begun()
    {
        using var folder = new TempFolder();
        Should.Throw<OperationCanceledException>(() => FileTree.Ensure(folder["tree"], Files, 0, isFlat: true, new(canceled: true)));
        MadeIn(folder.FullPath).ShouldBeEmpty();
    }

    private static IEnumerable<string> MadeIn(string root) =>
        Directory.Exists(root) ? Directory.EnumerateFiles(root, "*", SearchOption.AllDirectories) : [];
}
