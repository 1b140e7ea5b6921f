using System.Diagnostics;

namespace Sluice.Log.Tests;

/// <summary>How often a reader lists the folder, and what it makes of removed records.</summary>
public sealed class ReaderLookTests
{
    private static readonly SluiceLogOptions s_options = new()
    {
        SegmentBytes = 4096,
        MaxRecordBytes = 1000,
        BufferBytes = 4000,
        Preallocate = false,
    };

    [Theory]
    [InlineData(100)]
    [InlineData(400)]
    public void The_folder_is_not_listed_again_for_each_segment(int records)
    {
        using TempFolder folder = new(isInMemory: true);
        using (SluiceLog log = SluiceLog.Open(folder.Log, s_options))
        {
            for (int i = 0; i < records; i++)
            {
                log.Append(Records.Make(0, i, 900));
            }
        }

        Directory.GetFiles(folder.Log, "*.slog").Length.ShouldBeGreaterThan(records / 5);
        using SluiceLogReader reader = new(folder.Log, new SluiceLogReaderOptions { UpTo = LogDurability.Written });
        int number = 0;
        foreach (LogEntry entry in reader.Entries)
        {
            Records.Check(entry.Bytes).Number.ShouldBe(number++);
        }

        number.ShouldBe(records);
        reader.Looks.ShouldBeLessThan(10);
    }

    [Theory]
    [InlineData(0)]
    [InlineData(-1)]
    [InlineData(1L << 40)]
    public void An_interval_that_cannot_be_waited_for_is_refused(long milliseconds)
    {
        using TempFolder folder = new();
        SluiceLog.Open(folder.Log).Dispose();
        SluiceLogReaderOptions options = new() { PollInterval = TimeSpan.FromMilliseconds(milliseconds) };
        Should.Throw<ArgumentOutOfRangeException>(() => new SluiceLogReader(folder.Log, options)).ParamName.ShouldBe("PollInterval");
    }

    [Fact]
    public void A_state_that_cannot_be_read_does_not_count_as_no_durable_record()
    {
        using TempFolder folder = new();
        using (SluiceLog log = SluiceLog.Open(folder.Log, new SluiceLogOptions { Durability = LogDurability.Durable }))
        {
            Append(log, 1, 3);
        }

        string state = Path.Combine(folder.Log, "log.state");
        byte[] bytes = File.ReadAllBytes(state);
        bytes[20] ^= 1;
        File.WriteAllBytes(state, bytes);
        SluiceLogReaderOptions durable = new() { UpTo = LogDurability.Durable };
        Should.Throw<SluiceLogDamagedException>(() => Records.ReadAll(folder.Log, durable)).Path.ShouldBe(state);
        Records.ReadWritten(folder.Log).Count.ShouldBe(3);
    }

    /// <summary>The oldest file of a raw log cannot be removed; the others are.</summary>
    [SkippableFact]
    public void A_file_that_cannot_be_removed_does_not_stop_retention()
    {
        Skip.IfNot(OperatingSystem.IsLinux() && Environment.IsPrivilegedProcess, "Only root can set the attribute.");
        using TempFolder folder = new();
        string oldest = Path.Combine(folder.Log, "0000000001.log");
        _ = Directory.CreateDirectory(folder.Log);
        File.WriteAllBytes(oldest, new byte[5000]);
        Skip.IfNot(Shell("chattr", "+i", oldest), "This file system has no immutable files.");
        try
        {
            File.WriteAllBytes(Path.Combine(folder.Log, "0000000002.log"), new byte[5000]);
            File.WriteAllBytes(Path.Combine(folder.Log, "0000000003.log"), new byte[5000]);
            File.WriteAllBytes(Path.Combine(folder.Log, "0000000004.log"), new byte[5000]);
            SluiceLogOptions options = new() { Format = LogFormat.Raw, SegmentBytes = 4096, MaxRecordBytes = 1000, RetainSegments = 2 };
            using SluiceLog log = SluiceLog.Open(folder.Log, options);
            SpinWait.SpinUntil(() => log.LastError is not null, TimeSpan.FromMinutes(1)).ShouldBeTrue();
            File.Exists(Path.Combine(folder.Log, "0000000002.log")).ShouldBeFalse();
            File.Exists(oldest).ShouldBeTrue();
        }
        finally
        {
            _ = Shell("chattr", "-i", oldest);
        }
    }

    [Theory]
    [InlineData(0)]
    [InlineData(16)]
    public void Damage_of_a_whole_file_hides_no_record_before_it(int length)
    {
        using TempFolder folder = new(isInMemory: true);
        using (SluiceLog log = SluiceLog.Open(folder.Log, s_options))
        {
            for (int i = 0; i < 20; i++)
            {
                log.Append(Records.Make(0, i, 900), LogDurability.Durable);
            }
        }

        string path = Path.Combine(folder.Log, "0000000003.slog");
        using (FileStream file = new(path, FileMode.Open))
        {
            file.SetLength(length);
        }

        using SluiceLogReader reader = new(folder.Log);
        int number = 0;
        for (int call = 0; call < 2; call++)
        {
            Should.Throw<SluiceLogDamagedException>(() =>
            {
                while (reader.TryRead(out LogEntry entry))
                {
                    Records.Check(entry.Bytes).Number.ShouldBe(number++);
                }
            }).Path.ShouldBe(path);
        }

        number.ShouldBe(8);
        Should.Throw<SluiceLogDamagedException>(() => SluiceLog.Open(folder.Log, s_options)).Path.ShouldBe(path);
    }

    private static bool Shell(string program, params string[] arguments)
    {
        try
        {
            using Process process = Process.Start(new ProcessStartInfo(program, arguments) { RedirectStandardError = true, UseShellExecute = false })!;
            process.WaitForExit();
            return process.ExitCode == 0;
        }
        catch (System.ComponentModel.Win32Exception)
        {
            return false;
        }
    }

    private static void Append(SluiceLog log, int first, int last)
    {
        for (int i = first; i <= last; i++)
        {
            log.Append(Records.Make(0, i, 50)).ShouldBe(i);
        }
    }
}
