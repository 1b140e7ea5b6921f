using Shouldly;
using Sluice.Cli.Terminal;
using Sluice.Cli.Tests.Support;
using Xunit;

namespace Sluice.Cli.Tests.Commands;

/// <summary>`sluice doctor` as a user types it; what it says is compared with what handles do.</summary>
public sealed class DoctorRunTests : FolderTest
{
    [SkippableFact]
    public async Task What_it_says_of_a_folder_is_what_handles_meet_there()
    {
        Skip.IfNot(OperatingSystem.IsLinux(), "it tries these on Linux only");
        string disk = Directory.CreateDirectory(Folder["disk"]).FullName;
        ToolRun run = await ToolRun.SucceedAsync("doctor", disk, "--json", Folder["r.json"]);
        Directory.EnumerateFileSystemEntries(disk).ShouldBeEmpty();

        Dictionary<string, (string There, string Why)> findings = Read();
        findings["engine"].Why.ShouldStartWith(SluiceEngines.Default.Name);
        findings["engine"].Why.ShouldContain(SluiceEngines.UringReason ?? "allow io_uring; rings: ");
        string path = Folder["a.dat"];
        using (SluiceHandle direct = SluiceHandle.Open(path, FileMode.Create, FileAccess.ReadWrite, caching: FileCaching.Direct))
        {
            (findings["O_DIRECT"].There == "yes").ShouldBe(direct.Caching == FileCaching.Direct);
            if (direct.Caching == FileCaching.Direct)
                findings["direct alignment"].Why.ShouldContain($"length {direct.Alignment.Length} bytes");
        }
        using SluiceHandle file = SluiceHandle.Open(path, FileMode.Create, FileAccess.ReadWrite);
        file.Write(new byte[100_000], 0);
        ShouldAgree(findings["extents (FIEMAP)"], () => file.GetExtents());
        ShouldAgree(findings["preallocation (fallocate)"], () => file.Allocate(0, 1_000_000));
        ShouldAgree(findings["punching holes"], () => file.PunchHole(0, 50_000));
        CopyResult copy = await SluiceFile.CopyAsync(path, Folder["b.dat"]);
        (findings["reflink (FICLONE)"].There == "yes").ShouldBe(copy.Method == CopyMethod.Reflink);
        foreach (string name in new[] { "uncached (RWF_DONTCACHE)", "reads without waiting", "atomic writes", "copy_file_range",
             "advisory locks (flock)", "free space", "descriptors", "locked memory" })
            findings.ShouldContainKey(name);
        run.Out.ShouldContain("so: ");
    }

    [SkippableFact]
    public async Task A_file_is_read_and_not_changed()
    {
        Skip.IfNot(OperatingSystem.IsLinux(), "it tries these on Linux only");
        string path = Folder["mine.dat"];
        byte[] content = new byte[10_000];
        new Random(3).NextBytes(content);
        await File.WriteAllBytesAsync(path, content);
        DateTime written = File.GetLastWriteTimeUtc(path);
        ToolRun run = await ToolRun.SucceedAsync("doctor", path);
        run.Out.ShouldContain($"{path}, read only");
        run.Out.ShouldContain("9.77 KiB");
        (await File.ReadAllBytesAsync(path)).ShouldBe(content);
        File.GetLastWriteTimeUtc(path).ShouldBe(written);
        Directory.EnumerateFileSystemEntries(Folder.FullPath).ShouldHaveSingleItem();
    }

    [SkippableFact]
    public Task What_is_neither_file_nor_folder_is_refused()
    {
        Skip.IfNot(OperatingSystem.IsLinux(), "/dev/null");
        return CommandChecks.RefusesAsync("neither", "doctor", "/dev/null");
    }

    [Trait("Tier", "slow")]
    [SkippableFact]
    public async Task A_full_disk_is_said_to_be_why_nothing_was_tried()
    {
        using TestVolume disk = TestVolume.MountMemory(Folder["disk"], "64k");
        ToolRun run = await ToolRun.SucceedAsync("doctor", disk.Path);
        run.Out.ShouldContain("not tried: ");
        run.Out.ShouldContain("64 KiB of 64 KiB for this user");
        Directory.EnumerateFileSystemEntries(disk.Path).ShouldBeEmpty();
    }

    [Trait("Tier", "slow")]
    [SkippableFact]
    public async Task A_file_system_mounted_read_only_is_said_to_be_why_nothing_was_tried()
    {
        using TestVolume disk = TestVolume.MountMemory(Folder["disk"], "4m");
        Shell.Run("mount", "-o", "remount,ro", disk.Path);
        ToolRun run = await ToolRun.SucceedAsync("doctor", disk.Path);
        run.Out.ShouldContain("what needs a file of ours ?    not tried: ");
        run.Out.ShouldContain("Read-only file system");
        run.Out.ShouldContain("free space");
    }

    [SkippableFact]
    public async Task Where_this_user_may_not_write_that_is_said()
    {
        ToolRun run = await PlainUser.RunAsync("doctor", PlainUser.MakeClosedFolder(Folder));
        run.ExitCode.ShouldBe(ExitCode.Success, run.Error);
        run.Out.ShouldContain("not tried: ");
        run.Out.ShouldContain("denied");
        run.Out.ShouldContain("engine");
    }

    [SkippableFact]
    public async Task Without_memory_to_lock_it_says_what_was_found_about_rings()
    {
        // Whether the kernel counts rings against the limit differs; the limit itself is always shown, and the engine's reason is the
        // ring's.
        ToolRun run = await PlainUser.RunUnderAsync(["prlimit", "--memlock=0:0"], "doctor", "/");
        Skip.If(run.Error.Contains("prlimit", StringComparison.Ordinal), run.Error);
        run.ExitCode.ShouldBe(ExitCode.Success, run.Error);
        run.Out.ShouldContain("RLIMIT_MEMLOCK is 0 B");
        bool refused = run.Out.Contains("ENOMEM: raise RLIMIT_MEMLOCK", StringComparison.Ordinal);
        run.Out.ShouldContain(refused ? "no ring to try it with" : "registering 1 MiB of buffers: ");
        run.Out.ShouldContain(refused ? "batches, readers and writers make plain system calls"
            : "setup, register, enter and cancelling were tried");
    }

    private static void ShouldAgree((string There, string Why) finding, Action operation)
    {
        if (finding.There == "yes")
            operation();
        else
            Should.Throw<PlatformNotSupportedException>(operation);
    }

    private Dictionary<string, (string There, string Why)> Read() => Folder.Json("r.json").GetProperty("sections").EnumerateArray()
        .SelectMany(s => s.GetProperty("tables")[0].GetProperty("rows").EnumerateArray())
        .Select(r => r.GetProperty("cells"))
        .ToDictionary(c => c[0].GetProperty("text").GetString()!,
            c => (c[1].GetProperty("text").GetString()!, c[2].GetProperty("text").GetString()!));
}
