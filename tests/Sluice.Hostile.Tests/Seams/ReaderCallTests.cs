using Sluice.Uring;

namespace Sluice.Hostile.Tests.Seams;

/// <summary>The system calls of a reader: a cached file has its bytes and its end by reads alone.</summary>
[Trait("Runs", "once")]
public sealed class ReaderCallTests : HostileTests
{
    [SkippableTheory]
    [InlineData("blocks")]
    [InlineData("lines")]
    public void A_small_cached_file_is_read_without_a_look_at_its_length(string what)
    {
        Skip.IfNot(OperatingSystem.IsLinux(), "the seam is in Linux's calls");
        string path = Temp.NewFile([.. Bytes.Pattern(1999), (byte)'\n']);
        List<string> calls = [];
        SystemCallFaults.Use((call, _, _) =>
        {
            lock (calls)
            {
                calls.Add(call);
            }

            return 0;
        });
        using (SluiceReader reader = new(path))
        {
            if (what == "lines")
            {
                foreach (ReadOnlySpan<byte> _ in reader.EnumerateLines())
                {
                }
            }
            else
            {
                while (reader.TryReadBlock(out _))
                {
                }
            }
        }

        SystemCallFaults.Use(null);
        calls.Where(static c => c is "pread" or "fstat" or "statx" or "lseek").ShouldBe(["pread", "pread"]);
    }
}
