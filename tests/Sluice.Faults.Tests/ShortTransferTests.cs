using System.Runtime.Versioning;
using System.Text;
using Shouldly;
using Sluice.Faults.Child.Support;
using Sluice.Faults.Tests.Support;
using Sluice.Files;
using Sluice.Uring;
using Sluice.Uring.Abi;
using Xunit;

namespace Sluice.Faults.Tests;

/// <summary>
/// Each system call reads or writes a part of what it was asked for: the result is that of whole transfers.
/// </summary>
[UnsupportedOSPlatform("windows")]
public sealed class ShortTransferTests : FaultTests
{
    private const int PieceBytes = 100;

    private int _cut;

    [LinuxTheory]
    [InlineData("pread")]
    [InlineData("pwrite")]
    public async Task A_small_file_of_a_tree_is_copied_whole(string call)
    {
        byte[] content = Pattern.Bytes(1, 1234);
        string source = Directory.CreateDirectory(Path.Combine(Root, "source")).FullName;
        string target = Path.Combine(Root, "target");
        await File.WriteAllBytesAsync(Path.Combine(source, "file"), content);
        Cut(call);
        CopyResult result = await SluiceFile.CopyAsync(source, target, new CopyOptions { Recurse = true });
        SystemCallFaults.Use(null);
        _cut.ShouldBe(content.Length / PieceBytes);
        (result.Files, result.Bytes, result.ChangedFiles).ShouldBe((1, content.Length, 0));
        (await File.ReadAllBytesAsync(Path.Combine(target, "file"))).ShouldBe(content);
    }

    /// <summary>Without a ring: by calls that do not wait and, where these find nothing in the page cache, by threads.</summary>
    [LinuxTheory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task A_batch_without_a_ring_reads_small_files_whole(bool isCached)
    {
        byte[][] contents = [Pattern.Bytes(1, 1234), Pattern.Bytes(2, 2345)];
        string[] paths = [Path.Combine(Root, "one"), Path.Combine(Root, "other")];
        for (int i = 0; i < paths.Length; i++)
        {
            await File.WriteAllBytesAsync(paths[i], contents[i]);
        }

        // The process finds out once whether it has rings: before the fault, which is not to be the answer.
        _ = SluiceEngines.UringReason;
        SystemCallFaults.Use((call, _, length) =>
            call == "io_uring_setup" ? -CallFaults.EPERM
            : call == "preadv2" && !isCached ? -CallFaults.EAGAIN
            : call is "pread" or "preadv2" ? Shorten(length) : 0);
        List<FileRing> kept = [];
        try
        {
            while (FileRing.TryRent() is { } ring)
            {
                kept.Add(ring);
            }

            int i = 0;
            await foreach (FileReadResult result in SluiceFile.ReadManyAsync(paths))
            {
                result.GetContent().ShouldBe(contents[i++]);
            }

            i.ShouldBe(paths.Length);
            _cut.ShouldBeGreaterThanOrEqualTo(paths.Length);
        }
        finally
        {
            kept.ForEach(static ring => ring.Return());
        }
    }

    /// <summary>A FIFO tells no length, and gives a part of what is in it.</summary>
    [LinuxTheory]
    [InlineData("ReadAllBytes")]
    [InlineData("ReadAllBytesAsync")]
    [InlineData("ReadAllText")]
    [InlineData("ReadAllTextAsync")]
    [InlineData("ReadAllLines")]
    [InlineData("ReadAllLinesAsync")]
    public async Task A_FIFO_is_read_to_its_end(string member)
    {
        string text = Joined(Enumerable.Range(0, 2000).Select(static i => $"line {i}"));
        string path = Path.Combine(Root, "fifo");
        Native.MakeFifo(path);
        SystemCallFaults.Use((call, _, length) => call is "read" or "ring Read" ? Shorten(length) : 0);
        Task writing = Task.Run(() =>
        {
            using FileStream writer = new(path, FileMode.Open, FileAccess.Write);
            writer.Write(Encoding.UTF8.GetBytes(text));
        });
        string read = member switch
        {
            "ReadAllBytes" => Encoding.UTF8.GetString(SluiceFile.ReadAllBytes(path)),
            "ReadAllBytesAsync" => Encoding.UTF8.GetString(await SluiceFile.ReadAllBytesAsync(path)),
            "ReadAllText" => SluiceFile.ReadAllText(path),
            "ReadAllTextAsync" => await SluiceFile.ReadAllTextAsync(path),
            "ReadAllLines" => Joined(SluiceFile.ReadAllLines(path)),
            _ => Joined(await SluiceFile.ReadAllLinesAsync(path)),
        };
        read.ShouldBe(text);
        await writing;
        _cut.ShouldBeGreaterThan(text.Length / PieceBytes / 2);

        static string Joined(IEnumerable<string> lines) => string.Concat(lines.Select(static line => line + '\n'));
    }

    /// <summary>What its owner may not open to write is written by itself, and not as one of a group.</summary>
    [LinuxFact]
    public async Task A_file_of_a_batch_that_is_written_by_itself_is_whole()
    {
        byte[] content = Pattern.Bytes(3, 1234);
        string path = Path.Combine(Root, "file");
        Cut("write");
        await SluiceFile.WriteManyAsync([(path, content)], new FileBatchOptions { UnixCreateMode = UnixFileMode.UserRead });
        SystemCallFaults.Use(null);
        _cut.ShouldBe(content.Length / PieceBytes);
        (await File.ReadAllBytesAsync(path)).ShouldBe(content);
    }

    [LinuxFact]
    public void A_request_of_a_batch_that_fails_in_its_midst_says_how_much_it_wrote()
    {
        const int block = 4096;
        string path = Path.Combine(Root, "file");
        using SluiceHandle handle = SluiceHandle.Open(path, FileMode.CreateNew, FileAccess.ReadWrite, caching: FileCaching.Direct);
        byte[] content = Pattern.Bytes(4, 2 * block);
        WriteRequest[] requests = [new(0, content)];
        SystemCallFaults.Use((call, _, length) =>
        {
            if (call == "ring Write" && length == content.Length)
            {
                _cut++;
                return block;
            }

            return call.StartsWith("pwrite", StringComparison.Ordinal) ? -CallFaults.EIO : 0;
        });
        IOException error = Should.Throw<IOException>(() => handle.WriteBatch(requests));
        SystemCallFaults.Use(null);
        Skip.If(_cut == 0, "batches are not written by a ring here");
        (requests[0].BytesWritten, requests[0].Error).ShouldBe((block, error));
        File.ReadAllBytes(path).ShouldBe(content[..block]);
    }

    [SkippableFact]
    public async Task A_read_of_nothing_by_a_ring_is_not_believed_before_the_end_of_the_file()
    {
        const int block = 4096;
        byte[] content = Pattern.Bytes(5, 64 * block);
        string path = Path.Combine(Root, "file");
        await File.WriteAllBytesAsync(path, content);
        using SluiceHandle handle = SluiceHandle.Open(path, caching: FileCaching.Direct);
        SystemCallFaults.Use((call, _, _) =>
        {
            bool isOfRing = call is "ring Read" or "ring ReadV";
            _cut += isOfRing ? 1 : 0;
            return isOfRing ? SystemCallFaults.NoBytes : 0;
        });
        byte[][] buffers = [.. Enumerable.Range(0, 64).Select(static _ => new byte[block])];
        int[] results = await Task.WhenAll(buffers.Select((buffer, i) => handle.ReadAsync(buffer, i * block).AsTask()));
        SystemCallFaults.Use(null);
        Skip.If(_cut == 0, "no read used a ring here");
        results.ShouldAllBe(static bytes => bytes == block);
        buffers.SelectMany(static buffer => buffer).ShouldBe(content);
    }

    /// <summary>The kernel takes the first entry, and has no memory for the second.</summary>
    [SkippableFact]
    public unsafe void Entries_that_a_ring_took_are_counted_though_the_next_one_is_refused()
    {
        using Ring? ring = OperatingSystem.IsLinux() ? Ring.TryCreate(4, 8, SetupFlags.SubmitAll, out _) : null;
        Skip.If(ring is null, "there is no ring");
        Prep.Nop(ring.TryTake(), 1);
        Prep.Nop(ring.TryTake(), 2);
        int calls = 0;
        SystemCallFaults.Use((call, _, _) => call != "io_uring_enter" ? 0 : calls++ == 0 ? 1 : -CallFaults.EAGAIN);
        ring.Submit().ShouldBe(1);
        (calls, ring.Pending).ShouldBe((2, 1u));
        ring.Submit().ShouldBe(-CallFaults.EAGAIN);
        SystemCallFaults.Use(null);
        ring.Submit().ShouldBe(1);
    }

    private void Cut(string call) => SystemCallFaults.Use((name, _, length) => name == call ? Shorten(length) : 0);

    private long Shorten(long length)
    {
        if (length <= PieceBytes)
        {
            return 0;
        }

        Interlocked.Increment(ref _cut);
        return PieceBytes;
    }
}
