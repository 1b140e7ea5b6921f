using Sluice.Cli.Programs.Methods;
using Sluice.Cli.Report.Pages;

namespace Sluice.Cli.Commands;

/// <summary>One checked `methods` command line.</summary>
internal sealed record MethodsOptions(string Directory)
{
    /// <summary>The article's: about 0.66, 10 and 50 MB.</summary>
    public static IReadOnlyList<int> ArticleSizes { get; } = [(int)(0.66m * ByteSize.MiB), (int)(10 * ByteSize.MiB), (int)(50 * ByteSize.MiB)];

    public IReadOnlyList<int> SizesBytes { get; init; } = ArticleSizes;

    public IReadOnlyList<Method> Methods { get; init; } = MethodList.All;

    /// <summary>Whether WinFileIO's own checks run.</summary>
    public bool UnitTests { get; init; } = true;

    public int Rounds { get; init; } = 5;

    public bool Quiet { get; init; }

    public PageOutput Output { get; init; } = new();
}
