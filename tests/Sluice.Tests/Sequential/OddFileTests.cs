using System.Text;

namespace Sluice.Tests.Sequential;

/// <summary>Files that are none on a disk: of /proc and /sys, and pipes.</summary>
public sealed class OddFileTests : IDisposable
{
    private static readonly TimeSpan Patience = TimeSpan.FromMinutes(1);

    private readonly TempFolder _temp = new();

    public void Dispose() => _temp.Dispose();

    /// <summary>The former say that they have no bytes, the latter that they have a page.</summary>
    [SkippableTheory]
    [InlineData("/proc/self/limits")]
    [InlineData("/proc/filesystems")]
    [InlineData("/proc/version")]
    [InlineData("/sys/kernel/mm/transparent_hugepage/enabled")]
    [InlineData("/sys/devices/system/cpu/online")]
    public async Task Whatever_a_file_says_of_its_length_all_of_its_lines_are_found(string path)
    {
        Skip.IfNot(OperatingSystem.IsLinux(), "/proc and /sys");
        Skip.IfNot(File.Exists(path), "there is no such file here");
        string[] expected = await File.ReadAllLinesAsync(path);
        expected.ShouldNotBeEmpty();
        foreach (int shards in (int[])[1, 3])
        {
            StringBuilder[] parts = [.. Enumerable.Range(0, shards).Select(static _ => new StringBuilder())];
            for (int i = 0; i < shards; i++)
            {
                SluiceScanOptions options = new() { PartSize = 64, Shard = new Shard(i, shards) };
                await foreach (string part in SluiceReader.ScanAsync(path, static part => Encoding.UTF8.GetString(part.Bytes), options))
                {
                    parts[i].Append(part);
                }
            }

            string[] scanned = [.. parts.SelectMany(static p => p.ToString().Split('\n', StringSplitOptions.RemoveEmptyEntries))];
            scanned.Order(StringComparer.Ordinal).ShouldBe(expected.Where(static l => l.Length > 0).Order(StringComparer.Ordinal));
        }
    }

    /// <summary>Opening a FIFO waits for a writer, whatever a token says.</summary>
    [SkippableFact]
    public async Task A_pipe_is_not_waited_for()
    {
        Skip.IfNot(OperatingSystem.IsLinux(), "mkfifo");
        string path = _temp.NewFifo();
        await Task.Run(() => Should.ThrowAsync<IOException>(async () => await SluiceReader.FollowAsync(path).FirstAsync())).WaitAsync(Patience);
        await Task.Run(() => Should.ThrowAsync<NotSupportedException>(async () => await SluiceReader.ScanAsync(path, static _ => 0).FirstAsync()))
            .WaitAsync(Patience);
    }
}
