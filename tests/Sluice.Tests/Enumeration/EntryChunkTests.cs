using Sluice.Enumeration;

namespace Sluice.Tests.Enumeration;

/// <summary>What a chunk keeps of its files.</summary>
public sealed class EntryChunkTests
{
    /// <summary>As a file system in another process may have them (FUSE: 4095 bytes).</summary>
    [SkippableFact]
    public void Names_may_be_longer_than_what_is_there_for_them()
    {
        Skip.IfNot(OperatingSystem.IsLinux(), "folders are read by system calls on Linux alone");
        using TempFolder temp = new();
        DirectoryReader folder = DirectoryReader.TryOpen(temp.Root, out _)!;
        using EntryChunk chunk = new(folder);
        int[] lengths = [1000, 1500, 4095, 1];
        foreach (int length in lengths)
        {
            string name = new('n', length);
            chunk.Add(name, System.Text.Encoding.ASCII.GetBytes(name));
        }

        Enumerable.Range(0, chunk.Count).Select(i => chunk.PathAt(i).Length).ShouldBe(lengths);
    }
}
