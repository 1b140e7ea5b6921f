using System.Globalization;
using Shouldly;
using Sluice.Faults.Child.Commands;
using Sluice.Faults.Child.Conformance;
using Sluice.Faults.Tests.Support;
using Xunit;

namespace Sluice.Faults.Tests;

/// <summary>Several processes on one file, and a process that is killed.</summary>
[Trait("Tier", "slow")]
public sealed class ProcessTests
{
    [SkippableTheory]
    [InlineData(FileSystemKind.Local, "Cached,Uncached,Direct,Cached")]
    [InlineData(FileSystemKind.Bindfs, "Cached,Uncached,Direct,Cached")]
    public async Task Records_that_processes_append_are_whole_and_where_they_say(FileSystemKind kind, string cachings)
    {
        const int count = 200;
        Skip.IfNot(OperatingSystem.IsLinux(), "RWF_APPEND is Linux's");
        using Mount mount = new(kind);
        Skip.If(mount.Refusal is not null, $"{kind}: {mount.Refusal}");
        string path = Path.Combine(mount.Folder, "log");
        ChildProcess[] children =
            cachings.Split(',').Select((caching, id) => new ChildProcess(null, "append", path, caching, $"{id}", $"{count}")).ToArray();
        List<(long Offset, byte[] Record)> landed = [];
        try
        {
            foreach (ChildProcess child in children)
            {
                (await child.Output.ReadLineAsync()).ShouldBe("ready");
            }

            foreach (ChildProcess child in children)
            {
                await child.Input.WriteLineAsync("go");
                await child.Input.FlushAsync();
            }

            for (int id = 0; id < children.Length; id++)
            {
                string[] lines = await children[id].FinishAsync();
                children[id].ExitCode.ShouldBe(0, children[id].Errors);
                lines.Length.ShouldBe(count);
                landed.AddRange(lines.Select((line, i) => (long.Parse(line, CultureInfo.InvariantCulture), RecordFormat.Make(id, i))));
            }
        }
        finally
        {
            foreach (ChildProcess child in children)
            {
                child.Dispose();
            }
        }

        byte[] content = await File.ReadAllBytesAsync(path);
        long end = 0;
        foreach ((long offset, byte[] record) in landed.OrderBy(static l => l.Offset))
        {
            offset.ShouldBe(end);
            FileModel.ShouldMatch(content.AsSpan((int)offset, record.Length), record, $"record at {offset}");
            end += record.Length;
        }

        content.Length.ShouldBe((int)end);
    }

    [SkippableTheory]
    [InlineData("append", "Cached")]
    [InlineData("write", "Uncached")]
    [InlineData("write", "Direct")]
    public async Task What_a_killed_process_acknowledged_is_there(string way, string caching)
    {
        Skip.IfNot(OperatingSystem.IsLinux(), "SIGKILL is Unix's");
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
