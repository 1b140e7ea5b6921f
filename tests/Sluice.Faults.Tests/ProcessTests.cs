using System.Globalization;
using Shouldly;
using Sluice.Faults.Child.Commands;
using Sluice.Faults.Child.Conformance;
using Sluice.Faults.Tests.Support;
using Xunit;

namespace Sluice.Faults.Tests;

/// <summary>A process that is killed.</summary>
[Trait("Tier", "slow")]
public sealed class ProcessTests
{
    [LinuxTheory]
    [InlineData("append", "Cached")]
    [InlineData("write", "Uncached")]
    [InlineData("write", "Direct")]
    public async Task What_a_killed_process_acknowledged_is_there(string way, string caching)
    {
        using Mount mount = new(FileSystemKind.Local);
        string path = Path.Combine(mount.Folder, "log");
        List<string> acknowledged = [];
        using (ChildProcess child = new(null, "durable", path, caching, way))
        {
            while (acknowledged.Count < 40)
            {
                acknowledged.Add((await child.Output.ReadLineAsync()).ShouldNotBeNull(child.ExitedWithErrors()));
            }

            child.Kill();
            acknowledged.AddRange(await child.FinishAsync());
        }

        // The last line may have been cut by the kill.
        acknowledged.RemoveAt(acknowledged.Count - 1);
        byte[] content = await File.ReadAllBytesAsync(path);
        foreach (string line in acknowledged)
        {
            string[] parts = line.Split(' ');
            byte[] record = RecordFormat.Make(1, int.Parse(parts[0], CultureInfo.InvariantCulture));
            int offset = int.Parse(parts[1], CultureInfo.InvariantCulture);
            content.Length.ShouldBeGreaterThanOrEqualTo(offset + record.Length, line);
            FileModel.ShouldMatch(content.AsSpan(offset, record.Length), record, line);
        }
    }
}
