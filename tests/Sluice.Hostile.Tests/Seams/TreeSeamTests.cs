using Sluice.Uring;

namespace Sluice.Hostile.Tests.Seams;

/// <summary>Copies of trees where system calls fail, and between two of them.</summary>
public sealed class TreeSeamTests : HostileTests
{
    private static readonly byte[] Content = Bytes.Pattern(30_000);

    public TreeSeamTests() => Skip.IfNot(OperatingSystem.IsLinux(), "the seam is in Linux's calls");

    /// <summary>Of a folder that its user may go through and not list (mode 0300) there is no descriptor that could be flushed.</summary>
    [SkippableTheory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task What_is_to_be_on_the_disk_is_flushed_where_the_folder_above_may_not_be_opened(bool isLink)
    {
        string source = Temp.NewPath();
        string target = Temp.NewPath();
        if (isLink)
        {
            File.CreateSymbolicLink(source, "anywhere");
        }
        else
        {
            File.WriteAllBytes(Path.Combine(Directory.CreateDirectory(source).FullName, "file"), Content);
        }

        int refused = 0;
        int flushed = 0;
        SystemCallFaults.Use((call, fd, _) =>
        {
            // The folder above is opened last, to flush it; a link's is opened for nothing else.
            bool isAbove = call == "openat" && (isLink || flushed > 0) && new FileInfo($"/proc/self/fd/{fd}").LinkTarget == Temp.Root;
            flushed += call == "syncfs" ? 1 : 0;
            refused += isAbove ? 1 : 0;
            return isAbove && refused == 1 ? -Errno.EACCES : 0;
        });
        await SluiceFile.CopyAsync(source, target, new CopyOptions { Recurse = true, FlushToDisk = true });
        SystemCallFaults.Use(null);
        (refused, flushed).ShouldBe(isLink ? (2, 1) : (1, 2));
    }

    /// <summary>Who may write in one folder of the copy exchanges its name when the copy is held, and about to get the other one.</summary>
    [SkippableFact]
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
}
