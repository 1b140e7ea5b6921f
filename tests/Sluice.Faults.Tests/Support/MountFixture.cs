namespace Sluice.Faults.Tests.Support;

/// <summary>Mounts a file system when the first test of a class asks for it, and unmounts it after the last.</summary>
public sealed class MountFixture : IDisposable
{
    private Mount? _mount;

    public Mount Get(FileSystemKind kind) => _mount ??= new Mount(kind);

    public void Dispose() => _mount?.Dispose();
}
