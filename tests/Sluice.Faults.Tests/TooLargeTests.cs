using Shouldly;
using Sluice.Faults.Tests.Support;
using Sluice.Uring;
using Xunit;

namespace Sluice.Faults.Tests;

/// <summary>A file that becomes too large (EFBIG) is an argument out of range only where the caller has given an offset or a length.</summary>
[System.Runtime.Versioning.UnsupportedOSPlatform("windows")]
public sealed class TooLargeTests : FaultTests
{
    private const int Efbig = 27;

    public TooLargeTests() => SystemCallFaults.Use(static (call, _, _) =>
        call.Contains("write", StringComparison.OrdinalIgnoreCase) ? -Efbig : 0);

    [LinuxTheory]
    [InlineData(FileCaching.Cached)]
    [InlineData(FileCaching.Direct)]
    public async Task A_writer_reports_an_error_of_the_system(FileCaching caching)
    {
        SluiceWriter writer = new(Path.Combine(Root, "a"), new SluiceWriterOptions { Caching = caching });
        IOException error = Should.Throw<IOException>(() =>
        {
            writer.Write(new byte[3 << 20]);
            writer.Complete();
        });
        error.HResult.ShouldBe(Efbig);
        writer.Dispose();
        writer = new SluiceWriter(Path.Combine(Root, "b"), new SluiceWriterOptions { Caching = caching });
        error = await Should.ThrowAsync<IOException>(async () =>
        {
            await writer.WriteAsync(new byte[3 << 20]);
            await writer.CompleteAsync();
        });
        error.HResult.ShouldBe(Efbig);
        await writer.DisposeAsync();
    }

    [LinuxFact]
    public async Task A_replacement_reports_an_error_of_the_system()
    {
        string path = Path.Combine(Root, "a");
        Should.Throw<IOException>(() => SluiceFile.ReplaceAtomically(path, new byte[10])).HResult.ShouldBe(Efbig);
        (await Should.ThrowAsync<IOException>(() => SluiceFile.ReplaceAtomicallyAsync(path, "text"))).HResult.ShouldBe(Efbig);
    }

    [LinuxFact]
    public void Appending_reports_an_error_of_the_system_and_writing_an_argument_as_RandomAccess_does()
    {
        using SluiceHandle handle = SluiceHandle.Open(Path.Combine(Root, "a"), FileMode.CreateNew, FileAccess.Write);
        Should.Throw<IOException>(() => handle.Append(new byte[10])).HResult.ShouldBe(Efbig);
        Should.Throw<ArgumentOutOfRangeException>(() => handle.Write(new byte[10], 0));
    }
}
