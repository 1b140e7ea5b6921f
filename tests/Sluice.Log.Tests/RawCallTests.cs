using Sluice.Uring;

namespace Sluice.Log.Tests;

/// <summary>What an append to a raw log asks the kernel for.</summary>
[Collection(nameof(AloneCollection))]
public sealed class RawCallTests : IDisposable
{
    public void Dispose() => SystemCallFaults.Use(null);

    /// <summary>Where the file ends and whether it has its name, the write, and whether it still has it: nobody asks where the bytes
    /// landed.</summary>
    [SkippableFact]
    public void A_written_record_is_one_write_between_two_looks_at_the_file()
    {
        Skip.IfNot(OperatingSystem.IsLinux(), "the seam is in Linux's calls");
        using TempFolder folder = new(isInMemory: true);
        using SluiceLog log = SluiceLog.Open(
            folder.Log, new SluiceLogOptions { Format = LogFormat.Raw, Durability = LogDurability.Written });
        log.Append("first\n"u8);
        List<string> calls = [];
        int thread = Environment.CurrentManagedThreadId;
        SystemCallFaults.Use((call, _, _) =>
        {
            if (Environment.CurrentManagedThreadId == thread)
            {
                calls.Add(call);
            }

            return 0;
        });
        log.Append("second\n"u8);
        SystemCallFaults.Use(null);
        calls.ShouldBe(["statx", "pwritev2", "statx"]);
        File.ReadAllText(Directory.GetFiles(folder.Log, "*.log").Single()).ShouldBe("first\nsecond\n");
    }
}
