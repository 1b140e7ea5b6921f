using System.Runtime.Versioning;
using Sluice.Copying;
using Sluice.Kernel;
using static Sluice.Tests.Support.Trees;

namespace Sluice.Tests.Files;

/// <summary>
/// Replacements and copies beside links, FIFOs, planted names, locks, access lists and privileges: they go where the kernel says, wait for
/// nobody, and give nobody rights.
/// </summary>
[UnsupportedOSPlatform("windows")]
public sealed partial class ReplacementSafetyTests : IDisposable
{
    private const UnixFileMode OwnerReadWrite = UnixFileMode.UserRead | UnixFileMode.UserWrite;

    private readonly TempFolder _temp = new();

    /// <summary>Both ways to put a new content at a path.</summary>
    public static TheoryData<bool> Ways => [false, true];

    public void Dispose() => _temp.Dispose();

    [SkippableTheory]
    [MemberData(nameof(Ways))]
    public async Task A_link_leads_where_the_kernel_says(bool copies)
    {
        Skip.IfNot(OperatingSystem.IsLinux(), "names are resolved by open folders on Linux");
        string real = Directory.CreateDirectory(Path.Combine(_temp.Root, "real", "sub")).FullName;
        string near = Path.Combine(_temp.Root, "target.txt");
        string right = Path.Combine(_temp.Root, "real", "target.txt");
        string alias = Path.Combine(_temp.Root, "alias");
        File.WriteAllText(near, "unrelated");
        File.WriteAllText(right, "old");
        File.CreateSymbolicLink(Path.Combine(real, "cfg"), "../target.txt");
        Directory.CreateSymbolicLink(alias, real);
        await PutAsync(Path.Combine(alias, "cfg"), "new", copies);
        (File.ReadAllText(near), File.ReadAllText(right)).ShouldBe(("unrelated", "new"));

        // A chain of links, relative to where each stands; the last leads to nothing yet.
        File.CreateSymbolicLink(Path.Combine(real, "one"), "two");
        File.CreateSymbolicLink(Path.Combine(real, "two"), "../made");
        await PutAsync(Path.Combine(alias, "one"), "made", copies);
        File.ReadAllText(Path.Combine(_temp.Root, "real", "made")).ShouldBe("made");
        new FileInfo(Path.Combine(real, "one")).LinkTarget.ShouldBe("two");

        File.CreateSymbolicLink(Path.Combine(real, "round"), "round");
        await Should.ThrowAsync<IOException>(() => PutAsync(Path.Combine(alias, "round"), "x", copies));
    }

    /// <summary>By .NET's own means, as elsewhere than on Linux.</summary>
    [Fact]
    public void A_link_leads_where_the_kernel_says_on_other_systems_too()
    {
        string real = Directory.CreateDirectory(Path.Combine(_temp.Root, "real", "sub")).FullName;
        string near = Path.Combine(_temp.Root, "target.txt");
        string right = Path.Combine(_temp.Root, "real", "target.txt");
        string alias = Path.Combine(_temp.Root, "alias");
        File.WriteAllText(near, "unrelated");
        File.WriteAllText(right, "old");
        File.CreateSymbolicLink(Path.Combine(real, "one"), "two");
        File.CreateSymbolicLink(Path.Combine(real, "two"), "../target.txt");
        File.CreateSymbolicLink(Path.Combine(real, "round"), "round");
        Directory.CreateSymbolicLink(alias, real);
        foreach (string content in (string[])["new", "newer"])
        {
            using PortableReplacement replacement = PortableReplacement.BeginAt(Path.Combine(alias, "one"), new ReplaceOptions());
            replacement.Handle.Write(System.Text.Encoding.UTF8.GetBytes(content), 0);
            replacement.Commit(CancellationToken.None);
            (File.ReadAllText(near), File.ReadAllText(right)).ShouldBe(("unrelated", content));
        }

        new FileInfo(Path.Combine(real, "one")).LinkTarget.ShouldBe("two");

        // What it leads to is not there, and then made where the kernel would make it.
        File.Delete(right);
        using (PortableReplacement made = PortableReplacement.BeginAt(Path.Combine(alias, "one"), new ReplaceOptions()))
        {
            made.Commit(CancellationToken.None);
        }

        new FileInfo(right).Length.ShouldBe(0);
        Should.Throw<IOException>(() => PortableReplacement.BeginAt(Path.Combine(alias, "round"), new ReplaceOptions()));
        Directory.GetFileSystemEntries(_temp.Root, "*.sluice-tmp", SearchOption.AllDirectories).ShouldBeEmpty();
    }

    /// <summary>By .NET's own means, as elsewhere than on Linux.</summary>
    [Fact]
    public void Permissions_stay_and_a_folder_is_refused_on_other_systems_too()
    {
        const UnixFileMode shared = OwnerReadWrite | UnixFileMode.GroupRead | UnixFileMode.GroupWrite;
        string path = _temp.NewFile("old"u8);
        File.SetUnixFileMode(path, shared);
        using (PortableReplacement replacement = PortableReplacement.BeginAt(path, new ReplaceOptions()))
        {
            File.GetUnixFileMode(replacement.Handle.Path).ShouldBe(OwnerReadWrite);
            replacement.Commit(CancellationToken.None);
        }

        File.GetUnixFileMode(path).ShouldBe(shared);
        Should.Throw<UnauthorizedAccessException>(() => PortableReplacement.BeginAt(_temp.Root, new ReplaceOptions()));
        Directory.GetFileSystemEntries(_temp.Root).ShouldBe([path]);
    }

    [SkippableTheory]
    [MemberData(nameof(Ways))]
    public async Task Another_users_link_or_file_in_a_shared_folder_is_not_used(bool copies)
    {
        Skip.IfNot(OperatingSystem.IsLinux() && Environment.IsPrivilegedProcess, "only root can make another user's link");
        string shared = Directory.CreateDirectory(_temp.NewPath()).FullName;
        Run("chmod", "1777", shared);
        string victim = _temp.NewFile("secret"u8);
        string link = Path.Combine(shared, "settings");
        File.CreateSymbolicLink(link, victim);
        Run("chown", "-h", "12345", link);
        await Should.ThrowAsync<UnauthorizedAccessException>(() => PutAsync(link, "theirs", copies));
        File.ReadAllText(victim).ShouldBe("secret");

        // Nor is a file, which they would read.
        string planted = Path.Combine(shared, "log");
        File.WriteAllText(planted, "theirs");
        Run("chown", "12345", planted);
        await Should.ThrowAsync<UnauthorizedAccessException>(() => PutAsync(planted, "secret", copies));
        File.ReadAllText(planted).ShouldBe("theirs");
    }

    [SkippableTheory]
    [MemberData(nameof(Ways))]
    public async Task Planted_temporary_names_neither_stop_nor_refuse_anything(bool copies)
    {
        Skip.IfNot(OperatingSystem.IsLinux(), "FIFOs");
        string target = _temp.NewFile("old"u8);
        Native.MakeFifo(Path.Combine(_temp.Root, $".{Path.GetFileName(target)}.sluice-tmp"));

        await PutAsync(target, "new", copies).WaitAsync(TimeSpan.FromMinutes(1));
        File.ReadAllText(target).ShouldBe("new");
        string source = _temp.NewFile("resumed"u8);
        await SluiceFile.CopyAsync(source, target, new CopyOptions { Overwrite = true, Resume = true }).WaitAsync(TimeSpan.FromMinutes(1));
        File.ReadAllText(target).ShouldBe("resumed");
    }

    [SkippableTheory]
    [InlineData(false)]
    [InlineData(true)]
    [SupportedOSPlatform("linux")]
    public void A_temporary_file_that_was_taken_away_or_exchanged_never_becomes_the_target(bool isExchanged)
    {
        Skip.IfNot(OperatingSystem.IsLinux(), "temporary files are looked after on Linux");
        string target = _temp.NewFile("old"u8);
        using TargetLocation location = TargetLocation.Resolve(target, "Replacing");
        using (TemporaryFile temporary = TemporaryFile.Create(location.Path, ModeBits.OwnerReadWrite))
        {
            temporary.GiveName();
            string name = Directory.GetFiles(_temp.Root, ".*").ShouldHaveSingleItem();
            File.Delete(name);
            if (isExchanged)
            {
                File.WriteAllText(name, "torn");
            }

            Should.Throw<IOException>(temporary.ReplaceTarget).Message.ShouldContain("removed or replaced");
        }

        File.ReadAllText(target).ShouldBe("old");

        // What somebody else has put there is not removed either.
        Directory.GetFiles(_temp.Root, ".*").Length.ShouldBe(isExchanged ? 1 : 0);
    }

    [SkippableFact]
    [SupportedOSPlatform("linux")]
    public void A_temporary_file_whose_maker_is_at_work_is_nobody_elses()
    {
        Skip.IfNot(OperatingSystem.IsLinux(), "temporary files are locked on Linux");
        string target = _temp.NewPath();
        using TargetLocation location = TargetLocation.Resolve(target, "Copying");
        Sluice.Kernel.NodePath name = TemporaryName.Reserved(location.Path);
        using (TemporaryFile mine = TemporaryFile.CreateOrFind(location.Path, default, out bool isFound))
        {
            isFound.ShouldBeFalse();
            using TemporaryFile other = TemporaryFile.CreateOrFind(location.Path, default, out isFound);
            isFound.ShouldBeFalse("two copies share a file");
            File.Exists(name.Text).ShouldBeTrue();
        }

        File.Exists(name.Text).ShouldBeFalse();
    }

    [SkippableFact]
    public async Task A_node_that_is_exchanged_for_a_link_gives_nobody_rights()
    {
        Skip.IfNot(OperatingSystem.IsLinux(), "FIFOs");
        string source = Directory.CreateDirectory(_temp.NewPath()).FullName;
        string target = Directory.CreateDirectory(_temp.NewPath()).FullName;
        string victim = _temp.NewFile("secret"u8);
        File.SetUnixFileMode(victim, OwnerReadWrite);
        for (int i = 0; i < 60; i++)
        {
            Native.MakeFifo(Path.Combine(source, $"{i}"));
            File.SetUnixFileMode(Path.Combine(source, $"{i}"), (UnixFileMode)0x1FF);
        }

        using CancellationTokenSource stop = new();
        Task exchanges = Task.Factory.StartNew(
            () =>
            {
                for (int i = 0; !stop.IsCancellationRequested; i = (i + 1) % 60)
                {
                    string name = Path.Combine(target, $"{i}");
                    try
                    {
                        // Only what has just been made: where a link stands already, the copy makes its node elsewhere.
                        if (File.Exists(name) && new FileInfo(name).LinkTarget is null)
                        {
                            File.Delete(name);
                            File.CreateSymbolicLink(name, victim);
                        }
                    }
                    catch (IOException)
                    {
                        // The copy was quicker.
                    }
                }
            },
            TaskCreationOptions.LongRunning);
        for (int i = 0; i < 10; i++)
        {
            CopyOptions options = new() { Recurse = true, PreserveMetadata = true, Overwrite = true, ContinueOnError = true };
            _ = await Record.ExceptionAsync(() => SluiceFile.CopyAsync(source, target, options));
        }

        await stop.CancelAsync();
        await exchanges;
        File.GetUnixFileMode(victim).ShouldBe(OwnerReadWrite);
        File.ReadAllText(victim).ShouldBe("secret");
    }

    [SkippableFact]
    public async Task A_copy_is_as_File_Copy_makes_it()
    {
        Skip.IfNot(OperatingSystem.IsLinux(), "modes");
        string source = _temp.NewFile("content"u8);
        File.SetLastWriteTimeUtc(source, new DateTime(2001, 2, 3, 4, 5, 6, DateTimeKind.Utc).AddTicks(1234567));
        string other = _temp.NewFile("old"u8);
        foreach (int mode in (int[])[0x180, 0x1FF, 0x1B6, 0x124])
        {
            File.SetUnixFileMode(source, (UnixFileMode)mode);
            foreach (bool overwrites in (bool[])[false, true])
            {
                (string theirs, string ours) = (_temp.NewPath(), _temp.NewPath());
                if (overwrites)
                {
                    File.WriteAllText(theirs, "old");
                    File.WriteAllText(ours, "old");
                }

                File.Copy(source, theirs, overwrites);
                _ = await SluiceFile.CopyAsync(source, ours, new CopyOptions { Overwrite = overwrites });
                // File.Copy gives a file that is replaced the permissions of the source, which may be more than it had.
                File.GetUnixFileMode(ours).ShouldBe(
                    overwrites ? File.GetUnixFileMode(other) : File.GetUnixFileMode(theirs), $"{mode:X}, {overwrites}");
                File.GetLastWriteTimeUtc(ours).ShouldBe(File.GetLastWriteTimeUtc(theirs));
                File.ReadAllText(ours).ShouldBe("content");
            }
        }
    }

    [SkippableFact]
    public async Task A_file_that_somebody_has_for_himself_is_neither_copied_nor_overwritten()
    {
        string source = _temp.NewFile("source"u8);
        string target = _temp.NewFile("old"u8);
        foreach (string locked in (string[])[source, target])
        {
            using FileStream alone = new(locked, FileMode.Open, FileAccess.ReadWrite, FileShare.None);
            Exception theirs = Record.Exception(() => File.Copy(source, target, overwrite: true)).ShouldNotBeNull();
            Exception ours = (await Record.ExceptionAsync(
                () => SluiceFile.CopyAsync(source, target, new CopyOptions { Overwrite = true }))).ShouldNotBeNull();
            (ours.GetType(), ours.Message).ShouldBe((theirs.GetType(), theirs.Message));
        }

        File.ReadAllText(target).ShouldBe("old");

        // Nor does a copy keep others out longer than it takes.
        _ = await SluiceFile.CopyAsync(source, target, new CopyOptions { Overwrite = true });
        new FileStream(target, FileMode.Open, FileAccess.ReadWrite, FileShare.None).Dispose();
        new FileStream(source, FileMode.Open, FileAccess.ReadWrite, FileShare.None).Dispose();
    }

    /// <summary>Returns an access control list in the format of the kernel: owner, one named user, group, mask, others.</summary>
    private static byte[] List(ushort owner, (uint User, ushort Permissions) named, ushort group, ushort mask, ushort others)
    {
        List<byte> list = [2, 0, 0, 0];
        Add(0x01, owner, uint.MaxValue);
        Add(0x02, named.Permissions, named.User);
        Add(0x04, group, uint.MaxValue);
        Add(0x10, mask, uint.MaxValue);
        Add(0x20, others, uint.MaxValue);
        return [.. list];

        void Add(ushort tag, ushort permissions, uint number) =>
            list.AddRange([.. BitConverter.GetBytes(tag), .. BitConverter.GetBytes(permissions), .. BitConverter.GetBytes(number)]);
    }

    private static void SetListOrSkip(string path, string name, byte[] list)
    {
        int errno = Native.SetAttribute(path, name, list);
        Skip.If(errno != 0, $"this file system has no access lists (errno {errno})");
    }

    private static async Task PutAsync(string path, string content, bool copies, UnixFileMode mode = OwnerReadWrite)
    {
        if (!copies)
        {
            await SluiceFile.ReplaceAtomicallyAsync(path, content);
            return;
        }

        using TempFolder elsewhere = new();
        string source = elsewhere.NewPath();
        File.WriteAllText(source, content);
        File.SetUnixFileMode(source, mode);
        _ = await SluiceFile.CopyAsync(source, path, new CopyOptions { Overwrite = true });
    }
}
