using Sluice.Uring;

namespace Sluice.Hostile.Tests.Seams;

/// <summary>Copies of trees where system calls fail, and between two of them.</summary>
public sealed class TreeSeamTests : HostileTests
{
    private static readonly byte[] Content = Bytes.Pattern(30_000);

    /// <summary>A folder that its user may search and change, but not list (mode 0300), gives no descriptor that could be flushed.</summary>
    [LinuxFact]
    public async Task A_durable_copy_flushes_the_file_system_if_the_folder_above_cannot_be_opened()
    {
        string source = Directory.CreateDirectory(Temp.NewPath()).FullName;
        File.WriteAllBytes(Path.Combine(source, "file"), Content);
        int refused = 0;
        int flushed = 0;
        SystemCallFaults.Use((call, fd, _) =>
        {
            // The folder above is opened last, to flush it.
            bool isAbove = call == "openat" && flushed > 0 && IsRoot(fd);
            flushed += call == "syncfs" ? 1 : 0;
            refused += isAbove ? 1 : 0;
            return isAbove ? -Errno.EACCES : 0;
        });
        await SluiceFile.CopyAsync(source, Temp.NewPath(), new CopyOptions { Recurse = true, FlushToDisk = true });
        SystemCallFaults.Use(null);
        (refused, flushed).ShouldBe((1, 2));
    }

    /// <summary>As above, for a symbolic link, which has no descriptor for syncfs either.</summary>
    [LinuxFact]
    public async Task A_durable_copy_of_a_link_fails_if_the_folder_above_cannot_be_opened()
    {
        string source = Temp.NewPath();
        string target = Temp.NewPath();
        File.CreateSymbolicLink(source, "anywhere");
        SystemCallFaults.Use((call, fd, _) => call == "openat" && IsRoot(fd) ? -Errno.EACCES : 0);
        (await Should.ThrowAsync<UnauthorizedAccessException>(
            () => SluiceFile.CopyAsync(source, target, new CopyOptions { Recurse = true, FlushToDisk = true })))
            .Message.ShouldContain("errno 13");
        SystemCallFaults.Use(null);
        new FileInfo(target).LinkTarget.ShouldBe("anywhere");
    }

    /// <summary>Who may write in one folder of the copy exchanges its name when the copy is held, and about to get the other one.</summary>
    [LinuxFact]
    public async Task A_copy_that_has_just_lost_its_last_name_gives_no_name_to_what_took_it()
    {
        string source = Directory.CreateDirectory(Temp.NewPath()).FullName;
        string target = Directory.CreateDirectory(Temp.NewPath()).FullName;
        string[] folders = ["one", "two"];
        foreach (string folder in folders)
        {
            Directory.CreateDirectory(Path.Combine(source, folder));
            Directory.CreateDirectory(Path.Combine(target, folder));
        }

        File.WriteAllBytes(Path.Combine(source, "one", "name"), Content);
        Native.Link(Path.Combine(source, "one", "name"), Path.Combine(source, "two", "name"));
        string foreign = Temp.NewFile("foreign"u8.ToArray());
        string[] names = [.. folders.Select(f => Path.Combine(target, f, "name"))];
        SystemCallFaults.Use((call, _, _) =>
        {
            if (call == "linkat" && File.Exists(foreign) && Array.Find(names, File.Exists) is { } first)
            {
                File.Move(foreign, first, overwrite: true);
            }

            return 0;
        });
        Exception? error = await Record.ExceptionAsync(
            () => SluiceFile.CopyAsync(source, target, new CopyOptions { Recurse = true, PreserveMetadata = true }));
        SystemCallFaults.Use(null);
        File.Exists(foreign).ShouldBeFalse("else nothing was seen");
        error.ShouldBeAssignableTo<IOException>();
        names.Count(File.Exists).ShouldBe(1);
    }

    private bool IsRoot(int fd) => OpenFiles.NameOf(fd) == Temp.Root;
}
