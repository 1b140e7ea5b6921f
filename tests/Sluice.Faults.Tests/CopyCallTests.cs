using Shouldly;
using Sluice.Faults.Child.Support;
using Sluice.Faults.Tests.Support;
using Sluice.Uring;
using Xunit;

namespace Sluice.Faults.Tests;

/// <summary>The state after a copy of which a chosen system call fails, or meets a source that was changed before it.</summary>
public sealed class CopyCallTests : FaultTests
{
    /// <summary>A log that is emptied and written again has no end: its copy ends at the length that was found.</summary>
    [LinuxFact]
    public async Task A_source_that_is_emptied_and_grows_is_copied_up_to_its_first_length()
    {
        const int length = 300_001;
        byte[] after = Pattern.Bytes(2, 400_000);
        string source = Path.Combine(Root, "source");
        string target = Path.Combine(Root, "target");
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

    /// <summary>A folder of the copy is closed to writes of others only until it is whole.</summary>
    [LinuxTheory]
    [InlineData("0")]
    [InlineData("002")]
    [InlineData("077")]
    public async Task Folders_have_the_modes_that_cp_gives_them_whatever_the_umask_is(string umask)
    {
        string source = Directory.CreateDirectory(Path.Combine(Root, "source")).FullName;
        foreach (string mode in (string[])["777", "1777", "775", "750", "2770"])
        {
            Directory.CreateDirectory(Path.Combine(source, mode));
            Command.Run("chmod", mode, Path.Combine(source, mode));
        }

        await File.WriteAllBytesAsync(Path.Combine(source, "file"), Pattern.Bytes(1, 3_000_000));
        Command.Run("chmod", "777", source);
        Command.Run("chmod", "600", Path.Combine(source, "file"));
        string[] before = ["sh", "-c", $"umask {umask}; exec \"$@\"", "sh"];
        (string expected, string actual) = (Path.Combine(Root, "expected"), Path.Combine(Root, "actual"));
        Command.Run(before[0], [.. before[1..], "cp", "-r", source, expected]);
        (await ChildProcess.OnceAsync(before, "closed", source, actual)).ShouldBe("done");
        Modes(actual).ShouldBe(Modes(expected));

        static string Modes(string root) => Command.Run("sh", "-c", "cd \"$0\" && find . -printf '%P %m\\n' | sort", root);
    }
}
