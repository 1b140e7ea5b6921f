using Shouldly;
using Sluice.Faults.Child.Support;
using Sluice.Faults.Tests.Support;
using Sluice.Uring;
using Xunit;

namespace Sluice.Faults.Tests;

/// <summary>The state after a copy of which a chosen system call fails, or meets a source that was changed before it.</summary>
public sealed class CopyCallTests : IDisposable
{
    private readonly string _root = Directory.CreateTempSubdirectory("sluice-copy-").FullName;

    public void Dispose()
    {
        SystemCallFaults.Use(null);
        Directory.Delete(_root, recursive: true);
    }

    /// <summary>A log that is emptied and written again has no end: its copy ends at the length that was found.</summary>
    [SkippableFact]
    public async Task A_source_that_is_emptied_and_grows_is_copied_up_to_its_first_length()
    {
        Skip.IfNot(OperatingSystem.IsLinux(), "the calls are those of Linux");
        const int length = 300_001;
        byte[] after = Pattern.Bytes(2, 400_000);
        string source = Path.Combine(_root, "source");
        string target = Path.Combine(_root, "target");
        await File.WriteAllBytesAsync(source, Pattern.Bytes(1, length));
        int reads = 0;
        SystemCallFaults.Use((call, _, _) =>
        {
            if (call == "pread" && reads++ < 2)
            {
                // The first read finds the end; the second begins anew.
                File.WriteAllBytes(source, reads == 1 ? [] : after);
            }

            return 0;
        });
        CopyResult result = await SluiceFile.CopyAsync(source, target, new CopyOptions { Method = CopyMethod.Buffered });
        SystemCallFaults.Use(null);
        (result.Bytes, result.ChangedFiles).ShouldBe((length, 1));
        (await File.ReadAllBytesAsync(target)).ShouldBe(after[..length]);
    }

    [SkippableFact]
    public async Task A_file_of_a_tree_that_was_written_in_part_is_not_in_the_copy()
    {
        Skip.IfNot(OperatingSystem.IsLinux(), "the calls are those of Linux");
        string source = Directory.CreateDirectory(Path.Combine(_root, "source")).FullName;
        string target = Path.Combine(_root, "target");
        await File.WriteAllBytesAsync(Path.Combine(source, "large"), Pattern.Bytes(1, 2000));
        await File.WriteAllBytesAsync(Path.Combine(source, "small"), Pattern.Bytes(2, 100));
        SystemCallFaults.Use(static (call, _, length) =>
            call != "pwrite" ? 0
            : length == 2000 ? 1000
            : length == 1000 ? -CallFaults.EIO : 0);
        FileBatchException error = await Should.ThrowAsync<FileBatchException>(
            () => SluiceFile.CopyAsync(source, target, new CopyOptions { Recurse = true, ContinueOnError = true }));
        SystemCallFaults.Use(null);
        error.Failures.ShouldHaveSingleItem().Path.ShouldBe(Path.Combine(source, "large"));
        Directory.GetFileSystemEntries(target).ShouldBe([Path.Combine(target, "small")]);
    }

    /// <summary>A later run skips a file that has its source's times, also after a power cut.</summary>
    [SkippableTheory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task A_file_that_a_later_run_skips_is_on_the_disk_before_it_has_its_times(bool inShards)
    {
        Skip.IfNot(OperatingSystem.IsLinux(), "the calls are those of Linux");
        string source = Directory.CreateDirectory(Path.Combine(_root, "source")).FullName;
        string target = Path.Combine(_root, "target");
        await File.WriteAllBytesAsync(Path.Combine(source, "file"), Pattern.Bytes(1, 2_000_001));
        List<string> calls = [];
        SystemCallFaults.Use((call, fd, _) =>
        {
            if (call is "fsync" or "futimens"
                && new FileInfo($"/proc/self/fd/{fd}").LinkTarget == Path.Combine(target, "file"))
            {
                calls.Add(call);
            }

            return 0;
        });
        CopyOptions options = new()
        {
            Recurse = true,
            FlushToDisk = true,
            SkipUnchanged = !inShards,
            Shard = inShards ? default(Shard) : null,
        };
        _ = await SluiceFile.CopyAsync(source, target, options);
        SystemCallFaults.Use(null);
        calls.Take(2).ShouldBe(["fsync", "futimens"]);
    }

    /// <summary>A folder of the copy is closed to writes of others only until it is whole.</summary>
    [SkippableTheory]
    [InlineData("0")]
    [InlineData("002")]
    [InlineData("077")]
    public async Task Folders_have_the_modes_that_cp_gives_them_whatever_the_umask_is(string umask)
    {
        Skip.IfNot(OperatingSystem.IsLinux(), "modes");
        string source = Directory.CreateDirectory(Path.Combine(_root, "source")).FullName;
        foreach (string mode in (string[])["777", "1777", "775", "750", "2770"])
        {
            Directory.CreateDirectory(Path.Combine(source, mode));
            Command.Run("chmod", mode, Path.Combine(source, mode));
        }

        await File.WriteAllBytesAsync(Path.Combine(source, "file"), Pattern.Bytes(1, 3_000_000));
        Command.Run("chmod", "777", source);
        Command.Run("chmod", "600", Path.Combine(source, "file"));
        string[] before = ["sh", "-c", $"umask {umask}; exec \"$@\"", "sh"];
        (string expected, string actual) = (Path.Combine(_root, "expected"), Path.Combine(_root, "actual"));
        Command.Run(before[0], [.. before[1..], "cp", "-r", source, expected]);
        using ChildProcess child = new(null, before, ["once", "closed", source, actual]);
        (await child.FinishAsync()).ShouldBe(["done"], child.Errors);
        Modes(actual).ShouldBe(Modes(expected));

        static string Modes(string root) => Command.Run("sh", "-c", "cd \"$0\" && find . -printf '%P %m\\n' | sort", root);
    }
}
