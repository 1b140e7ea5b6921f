namespace Sluice.Tests.Sequential;

/// <summary>Appending, and the space that a writer reserves and gives back.</summary>
public sealed partial class SluiceWriterTests
{
    [Theory]
    [MemberData(nameof(Cases))]
    public void Append_begins_at_the_end(string engine, FileCaching caching)
    {
        byte[] content = Bytes.Pattern(30_000);
        string path = _temp.NewFile(content.AsSpan(0, 10_001));
        using (SluiceWriter writer = Writer(path, engine, caching, new SluiceWriterOptions { Mode = FileMode.Append }))
        {
            writer.Position.ShouldBe(10_001);
            writer.Write(content.AsSpan(10_001));
        }

        File.ReadAllBytes(path).ShouldBeBytes(content);
    }

    [Theory]
    [MemberData(nameof(Cases))]
    public void What_others_append_meanwhile_stays(string engine, FileCaching caching)
    {
        byte[] content = Bytes.Pattern(300_003);
        byte[] others = Bytes.Pattern(1000, 7);
        string path = _temp.NewPath();
        long at;
        using (SluiceWriter writer = Writer(path, engine, caching, new SluiceWriterOptions { RequestSize = 65_536 }))
        {
            writer.Write(content);
            writer.Flush();
            using SluiceHandle other = SluiceHandle.Open(path, FileMode.Open, FileAccess.ReadWrite, FileShare.ReadWrite);
            at = other.AppendAndGetOffset(others);
        }

        byte[] file = File.ReadAllBytes(path);
        file.AsSpan(0, content.Length).ToArray().ShouldBeBytes(content);
        file.AsSpan((int)at).ToArray().ShouldBeBytes(others);
    }

    [Theory]
    [MemberData(nameof(Cases))]
    public async Task A_writer_that_begins_behind_the_end_and_writes_nothing_leaves_the_file_as_it_was(string engine, FileCaching caching)
    {
        foreach (int length in (int[])[0, 100, 5_000])
        {
            byte[] content = Bytes.Pattern(length);
            string path = _temp.NewFile(content);
            foreach (bool isGivenUp in (bool[])[false, true])
            {
                SluiceWriterOptions options = new() { Mode = FileMode.Open, Offset = 7_777, PreallocationSize = 1 << 20 };
                SluiceWriter writer = Writer(path, engine, caching, options);
                if (isGivenUp)
                {
                    writer.Abandon(new InvalidDataException());
                }

                await writer.DisposeAsync();
                File.ReadAllBytes(path).ShouldBeBytes(content);
            }
        }
    }

    [SkippableFact]
    public async Task A_cached_writer_never_cuts_what_another_process_appends()
    {
        Skip.IfNot(OperatingSystem.IsLinux(), "dd appends");
        const int piece = 1_000;
        string path = _temp.NewFile(new byte[] { 1 });
        byte[] others = Bytes.Pattern(200_000, 7);

        // Appends of one byte at a time, while writers of the same file reserve space behind its end and complete: one for each piece that
        // it is given to append, whoever of the two is quicker.
        using var dd = System.Diagnostics.Process.Start(new System.Diagnostics.ProcessStartInfo(
            "dd", [$"of={path}", "bs=1", "oflag=append", "conv=notrunc", "status=none"])
        {
            UseShellExecute = false,
            RedirectStandardInput = true,
        })!;
        for (int given = 0; given < others.Length; given += piece)
        {
            await dd.StandardInput.BaseStream.WriteAsync(others.AsMemory(given, piece));
            await dd.StandardInput.BaseStream.FlushAsync();
            Reserve();
        }

        dd.StandardInput.Close();
        while (!dd.HasExited)
        {
            Reserve();
        }

        await dd.WaitForExitAsync();
        dd.ExitCode.ShouldBe(0);
        File.ReadAllBytes(path).AsSpan(1).ToArray().ShouldBeBytes(others);

        void Reserve() => new SluiceWriter(path, new SluiceWriterOptions
        {
            Mode = FileMode.Open,
            Share = FileShare.ReadWrite,
            PreallocationSize = 1 << 20,
        }).Dispose();
    }

    /// <summary>What the file takes on the device, space behind its end included, in bytes.</summary>
    private static long SpaceOf(SluiceHandle handle)
    {
        try
        {
            return handle.GetExtents().Sum(static e => e.Length);
        }
        catch (PlatformNotSupportedException e)
        {
            Skip.If(true, e.Message);
            throw;
        }
    }

    [SkippableFact]
    public void What_was_preallocated_and_not_written_a_direct_writer_cuts_off_and_a_cached_one_leaves_behind_the_end()
    {
        foreach (FileCaching caching in Enum.GetValues<FileCaching>())
        {
            string path = _temp.NewPath();
            using (SluiceWriter writer = Writer(
                path, "own", caching, new SluiceWriterOptions { PreallocationSize = 1 << 20, FlushToDisk = true }))
            {
                writer.Write(Bytes.Pattern(5001));
                SpaceOf(writer.SluiceHandle).ShouldBeGreaterThanOrEqualTo(1 << 20);
                writer.Complete();
                new FileInfo(path).Length.ShouldBe(5001);
                SpaceOf(writer.SluiceHandle).ShouldBeInRange(
                    4096, writer.SluiceHandle.Caching == FileCaching.Direct ? 64 << 10 : (1 << 20) + 4096);
            }

            File.ReadAllBytes(path).ShouldBeBytes(Bytes.Pattern(5001));
        }
    }
}
