namespace Sluice.Cli.Tests.Support;

/// <summary>A folder in memory where the system has such a place, else on the disk: for tests that write much and are not about disks.</summary>
public sealed class MemoryFolder : IDisposable
{
    private const string InMemory = "/dev/shm";

    public MemoryFolder()
    {
        string parent = Directory.Exists(InMemory) ? InMemory : Path.GetTempPath();
        FullPath = Path.Combine(parent, $"sluice-cli-tests-{Guid.NewGuid():N}");
        Directory.CreateDirectory(FullPath);
    }

    public string FullPath { get; }

    public void Dispose() => Directory.Delete(FullPath, recursive: true);
}
