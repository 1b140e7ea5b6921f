namespace Sluice.Cli.Tests.Support;

/// <summary>A test with a folder of its own, which is gone after it.</summary>
public abstract class FolderTest : IDisposable
{
    protected TempFolder Folder { get; } = new();

    public void Dispose()
    {
        Folder.Dispose();
        GC.SuppressFinalize(this);
    }
}
