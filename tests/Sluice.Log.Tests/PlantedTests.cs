using System.Diagnostics;
using System.IO.Compression;

namespace Sluice.Log.Tests;

/// <summary>What another user may have put into a log's folder: it is not followed, waited for or written over.</summary>
public sealed class PlantedTests
{
    private static readonly TimeSpan Patience = TimeSpan.FromMinutes(1);

    [SkippableTheory]
    [InlineData(true)]
    [InlineData(false)]
    public void A_link_in_place_of_the_state_is_not_followed(bool isThere)
    {
        Linux.OrSkip();
        using TempFolder folder = new();
        Directory.CreateDirectory(folder.Log);
        string victim = Path.Combine(folder.Root, "victim");
        byte[] content = Records.Make(0, 0, 200);
        if (isThere)
        {
            File.WriteAllBytes(victim, content);
        }

        File.CreateSymbolicLink(folder.PathOf("log.state"), victim);
        Should.Throw<IOException>(() =>
        {
            using SluiceLog log = folder.Open();
            log.Append(new byte[10], LogDurability.Durable);
        }).Message.ShouldContain("log.state");
        File.Exists(victim).ShouldBe(isThere);
        if (isThere)
        {
            File.ReadAllBytes(victim).ShouldBe(content);
        }
    }

    /// <summary>A user who may rename the log's folder puts a link to another log in its place.</summary>
    [SkippableTheory]
    [InlineData(CompressionLevel.NoCompression)]
    [InlineData(CompressionLevel.Fastest)]
    public void A_raw_log_stays_in_the_folder_that_it_has_opened(CompressionLevel compression)
    {
        Linux.OrSkip();
        using TempFolder folder = new();
        string victim = Path.Combine(folder.Root, "victim");
        string moved = Path.Combine(folder.Root, "moved");
        SluiceLogOptions options = new() { Format = LogFormat.Raw, SegmentBytes = 4096 };
        using (SluiceLog other = SluiceLog.Open(victim, options))
        {
            Append(other, 40);
        }

        Dictionary<string, byte[]> before = FolderImage.Read(victim);
        (options.RetainSegments, options.Compression) = (3, compression);
        using (SluiceLog log = folder.Open(options))
        {
            Append(log, 10);
            Directory.Move(folder.Log, moved);
            Directory.CreateSymbolicLink(folder.Log, victim);
            Append(log, 100);
        }

        FolderImage.ShouldBe(victim, before);
        Directory.GetFiles(moved).Max().ShouldNotBeNull().ShouldContain("00000002");

        static void Append(SluiceLog log, int count)
        {
            for (int i = 0; i < count; i++)
            {
                log.Append(Records.Make(0, i, 1000), i % 10 == 0 ? LogDurability.Durable : LogDurability.Written);
            }
        }
    }

    [SkippableFact]
    public void A_raw_log_whose_folder_was_deleted_continues_in_a_new_one_at_its_path()
    {
        Linux.OrSkip();
        using TempFolder folder = new();
        using SluiceLog log = folder.Open(new SluiceLogOptions { Format = LogFormat.Raw });
        log.Append("before"u8);
        Directory.Delete(folder.Log, recursive: true);
        Should.Throw<IOException>(() => log.Append("between"u8));
        Directory.CreateDirectory(folder.Log);
        log.Append("after"u8, LogDurability.Durable);
        File.ReadAllText(folder.Files.ShouldHaveSingleItem()).ShouldEndWith("after");
    }

    [Fact]
    public void Behind_the_last_number_that_there_is_no_raw_file_is_made()
    {
        using TempFolder folder = new();
        Directory.CreateDirectory(folder.Log);
        string planted = folder.PathOf("999999999999999999.log");
        File.WriteAllBytes(planted, new byte[5000]);
        SluiceLogOptions options = new() { Format = LogFormat.Raw, SegmentBytes = 4096 };
        Should.Throw<IOException>(() =>
        {
            using SluiceLog log = folder.Open(options);
            log.Append(new byte[10], LogDurability.Written);
        }).ToString().ShouldContain("digits at most");
        folder.Files.ShouldBe([planted]);
    }

    /// <summary>A longer number than that is no segment's for whoever lists them: what went there could not be read.</summary>
    [Theory]
    [InlineData("999999999999999999.slog")]
    [InlineData("999999999999999998.slog")]
    [InlineData("999999000000000000.slog")]
    public void Behind_one_of_the_last_numbers_that_there_are_nothing_is_written(string name)
    {
        using TempFolder folder = new();
        using (SluiceLog log = folder.Open())
        {
            log.Append(new byte[10], LogDurability.Durable);
        }

        string planted = folder.PathOf(name);
        File.WriteAllBytes(planted, []);
        folder.OpenDamaged().Message.ShouldContain(planted);
        File.Exists(planted).ShouldBeTrue();
        File.Delete(planted);
        using SluiceLog again = folder.Open();
        again.NextSequence.ShouldBe(2);
    }

    [SkippableTheory]
    [InlineData(LogFormat.Framed)]
    [InlineData(LogFormat.Raw)]
    public void A_link_in_place_of_a_segment_is_not_written_through(LogFormat format)
    {
        Linux.OrSkip();
        using TempFolder folder = new();
        string victim = Path.Combine(folder.Root, "victim");
        string name = format == LogFormat.Framed ? "0000000001.slog" : "0000000001.log";
        using (SluiceLog log = folder.Open(new SluiceLogOptions { Format = format, Preallocate = false }))
        {
            log.Append(Records.Make(0, 0, 100));
        }

        File.Move(folder.PathOf(name), victim);
        File.CreateSymbolicLink(folder.PathOf(name), victim);
        byte[] content = File.ReadAllBytes(victim);
        Should.Throw<IOException>(() =>
        {
            using SluiceLog log = folder.Open(new SluiceLogOptions { Format = format, Preallocate = false });
            log.Append(new byte[10], LogDurability.Durable);
        }).Message.ShouldContain(name);
        File.ReadAllBytes(victim).ShouldBe(content);
    }

    [SkippableTheory]
    [InlineData("log.state", LogFormat.Framed)]
    [InlineData("0000000001.slog", LogFormat.Framed)]
    [InlineData("0000000001.log", LogFormat.Raw)]
    public async Task A_fifo_is_waited_for_by_nobody(string name, LogFormat format)
    {
        Linux.OrSkip();
        using TempFolder folder = new();
        Directory.CreateDirectory(folder.Log);
        using (Process mkfifo = Process.Start("mkfifo", [folder.PathOf(name)]))
        {
            await mkfifo.WaitForExitAsync();
        }

        await Should.ThrowAsync<IOException>(() => Task.Run(() =>
            folder.Open(new SluiceLogOptions { Format = format }).Dispose()).WaitAsync(Patience));
        if (format == LogFormat.Framed)
        {
            Task read = Task.Run(() => folder.ReadAll()).WaitAsync(Patience);
            try
            {
                await read;
            }
            catch (IOException)
            {
                // No segment: said so. A state that is none is passed over.
            }
        }
    }
}
