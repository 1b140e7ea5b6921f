namespace Sluice.Cli.Load;

/// <summary>The options for opening a file with Sluice or with .NET.</summary>
internal sealed record TargetOptions(
    string Path, FileMode Mode, FileAccess Access, bool Asynchronous = false, FileCaching Caching = FileCaching.Cached,
    long PreallocationSizeBytes = 0)
{
    public FileOptions FileOptions => Asynchronous ? FileOptions.Asynchronous : FileOptions.None;
}
