namespace Sluice.Cli.Tests.Support;

/// <summary>A folder that is gone after the test.</summary>
public sealed class TempFolder : IDisposable
{
    public TempFolder() => FullPath = Directory.CreateTempSubdirectory("sluice-cli-tests-").FullName;

    public string FullPath { get; }

    public string this[string name] => Path.Combine(FullPath, name);

    public void Dispose() => Directory.Delete(FullPath, recursive: true);
}
