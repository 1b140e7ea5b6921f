using Sluice.Uring;

namespace Sluice.Faults.Tests.Support;

/// <summary>Tests with a folder; system calls that a test lets fail do so until it ends.</summary>
public abstract class FaultTests : IDisposable
{
    protected string Root { get; } = Directory.CreateTempSubdirectory("sluice-faults-").FullName;

    public void Dispose()
    {
        SystemCallFaults.Use(null);
        Directory.Delete(Root, recursive: true);
        GC.SuppressFinalize(this);
    }
}
