using Shouldly;
using Sluice.Uring;
using Xunit;

namespace Sluice.Faults.Tests;

/// <summary>A file that becomes too large (EFBIG) is an argument out of range only where the caller has given an offset or a length.</summary>
[System.Runtime.Versioning.UnsupportedOSPlatform("windows")]
public sealed class TooLargeTests : IDisposable
{
    private const int Efbig = 27;

    private readonly string _folder = Directory.CreateTempSubdirectory("sluice-large-").FullName;

    public TooLargeTests() => SystemCallFaults.Use(static (call, _, _) =>
        call.Contains("write", StringComparison.OrdinalIgnoreCase) ? -Efbig : 0);

    public void Dispose()
    {
        SystemCallFaults.Use(null);
        Directory.Delete(_folder, recursive: true);
    }

    [SkippableTheory]
    [InlineData(FileCaching.Cached)]
    [InlineData(FileCaching.Direct)]
    public async Task A_writer_reports_an_error_of_the_system(FileCaching caching)
    {
        Skip.IfNot(OperatingSystem.IsLinux());
        SluiceWriter writer = new(Path.Combine(_folder, "a"), new SluiceWriterOptions { Caching = caching });
        IOException error = Should.Throw<IOException>(() =>
        {
            writer.Write(new byte[3 << 20]);
            writer.Complete();
        });
        error.HResult.ShouldBe(Efbig);
        writer.Dispose();
        writer = new SluiceWriter(Path.Combine(_folder, "b"), new SluiceWriterOptions { Caching = caching });
        error = await Should.ThrowAsync<IOException>(async () =>
        {
            await writer.WriteAsync(new byte[3 << 20]);
            await writer.CompleteAsync();
        });
        error.HResult.ShouldBe(Efbig);
        await writer.DisposeAsync();
    }

    [SkippableFact]
    public async Task A_replacement_reports_an_error_of_the_system()
    {
        Skip.IfNot(OperatingSystem.IsLinux());
        string path = Path.Combine(_folder, "a");
        Should.Throw<IOException>(() => SluiceFile.ReplaceAtomically(path, new byte[10])).HResult.ShouldBe(Efbig);
        (await Should.ThrowAsync<IOException>(() => SluiceFile.ReplaceAtomicallyAsync(path, "text"))).HResult.ShouldBe(Efbig);
    }

    [SkippableFact]
    public void Appending_reports_an_error_of_the_system_and_writing_an_argument_as_RandomAccess_does()
    {
        Skip.IfNot(OperatingSystem.IsLinux());
        using SluiceHandle handle = SluiceHandle.Open(Path.Combine(_folder, "a"), FileMode.CreateNew, FileAccess.Write);
        Should.Throw<IOException>(() => handle.Append(new byte[10])).HResult.ShouldBe(Efbig);
        Should.Throw<ArgumentOutOfRangeException>(() => handle.Write(new byte[10], 0));
    }
}
