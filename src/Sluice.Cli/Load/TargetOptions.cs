namespace Sluice.Cli.Load;

/// <summary>The options for opening a file with Sluice or with .NET.</summary>
internal sealed record TargetOptions(string Path, FileMode Mode, FileAccess Access)
{
    public bool Asynchronous { get; init; }

    public FileCaching Caching { get; init; } = FileCaching.Cached;

    public long PreallocationSizeBytes { get; init; }

    public FileOptions FileOptions => Asynchronous ? FileOptions.Asynchronous : FileOptions.None;
}
