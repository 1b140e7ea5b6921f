using System.Diagnostics;
using Sluice.Log.Folders;

namespace Sluice.Log.Tests;

/// <summary>No user who can only read a log keeps its writer out, and there is one writer all the same.</summary>
[Trait("Runs", "once")]
public sealed class LockFileTests
{
    [SkippableFact]
    public void A_read_lock_of_another_process_refuses_neither_an_opening_nor_an_append()
    {
        Linux.OrSkip();
        using TempFolder folder = new();
        using (SluiceLog log = folder.Open(SmallLog.Options))
        {
            log.Append(Records.Make(0, 0, 900), LogDurability.Durable);
        }

        List<SluiceHandle> bystanders = [];
        try
        {
            LockForReading();
            using (SluiceLog log = folder.Open(SmallLog.Options))
            {
                for (int i = 1; i < 20; i++)
                {
                    LockForReading();
                    log.Append(Records.Make(0, i, 900), LogDurability.Durable).ShouldBe(i + 1);
                }
            }
        }
        finally
        {
            bystanders.ForEach(static b => b.Dispose());
        }

        folder.ReadAll().Count.ShouldBe(20);

        void LockForReading()
        {
            foreach (string path in folder.Files.Where(static p => Path.GetFileName(p) != LogFolder.LockName))
            {
                SluiceHandle bystander = LogFile.OpenToRead(path);
                bystanders.Add(bystander);
                _ = LogFile.LockNow(bystander, alone: false);
            }
        }
    }

    [SkippableFact]
    public void Only_the_owner_can_open_the_file_with_the_lock()
    {
        Linux.OrSkip();
        using TempFolder folder = new();
        using SluiceLog log = folder.Open();
        log.Append("first"u8);
        string path = folder.PathOf(LogFolder.LockName);
        if (OperatingSystem.IsLinux())
        {
            File.GetUnixFileMode(path).ShouldBe(UnixFileMode.UserRead | UnixFileMode.UserWrite);
        }

        Should.Throw<IOException>(() => folder.Open()).Message.ShouldContain("another writer");
    }

    /// <summary>An administrator who opens a user's log makes the lock's file the user's, and no other file.</summary>
    [SkippableTheory]
    [InlineData(null)]
    [InlineData("")]
    [InlineData("secret")]
    public void A_file_that_the_owner_of_the_folder_has_linked_stays_its_owners(string? planted)
    {
        Linux.RootOrSkip();
        using TempFolder folder = new();
        Directory.CreateDirectory(folder.Log);
        Run("chown", "65534:65534", folder.Log);
        string path = folder.PathOf(LogFolder.LockName);
        if (planted is not null)
        {
            string victim = Path.Combine(folder.Root, "victim");
            File.WriteAllText(victim, planted);
            Run("ln", victim, path);
        }

        using (SluiceLog log = folder.Open())
        {
            log.Append("first"u8);
        }

        Run("stat", "-c", "%u", path).ShouldBe(planted is null ? "65534" : "0");

        static string Run(string program, params string[] arguments)
        {
            ProcessStartInfo start = new(program, arguments) { RedirectStandardOutput = true, UseShellExecute = false };
            using Process process = Process.Start(start)!;
            string output = process.StandardOutput.ReadToEnd();
            process.WaitForExit();
            process.ExitCode.ShouldBe(0);
            return output.Trim();
        }
    }
}
