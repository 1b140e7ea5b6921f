namespace Sluice.Log.Tests.Support;

/// <summary>A folder in the temporary folder, deleted with all that is in it at the end.</summary>
internal sealed class TempFolder : IDisposable
{
    private const string InMemory = "/dev/shm";

    /// <param name="isInMemory">Whether it is to be in memory, where there is such a place: for what opens thousands of logs.</param>
    public TempFolder(bool isInMemory = false) =>
        Root = isInMemory && Directory.Exists(InMemory)
            ? Directory.CreateDirectory(Path.Combine(InMemory, "sluice-log-" + Guid.NewGuid().ToString("N"))).FullName
            : Directory.CreateTempSubdirectory("sluice-log-").FullName;

    public string Root { get; }

    /// <summary>Where a log is to be.</summary>
    public string Log => Path.Combine(Root, "log");

    public void Dispose() => Directory.Delete(Root, recursive: true);
}
