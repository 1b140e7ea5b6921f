using Sluice.Cli.Report.Pages;

namespace Sluice.Cli.Commands;

/// <summary>One checked `copy` command line.</summary>
internal sealed record CopyCommandOptions(IReadOnlyList<string> Sources, string Target)
{
    public CopyMethod Method { get; init; }

    public int Depth { get; init; } = CopyOptions.DefaultDepth;

    public bool Recursive { get; init; }

    public bool Preserve { get; init; }

    /// <summary>Files that are there are replaced without a question.</summary>
    public bool Force { get; init; }

    public bool Resume { get; init; }

    public bool Verify { get; init; }

    public bool Sync { get; init; }

    public PageOutput Output { get; init; } = new();

    public bool Quiet { get; init; }

    /// <summary>The paper's program: <see cref="Target"/> is the folder for its files, and there are no sources.</summary>
    public bool Demo { get; init; }

    /// <summary>Bytes of the demo's file.</summary>
    public long DemoSizeBytes { get; init; } = ByteSize.GiB;
}
