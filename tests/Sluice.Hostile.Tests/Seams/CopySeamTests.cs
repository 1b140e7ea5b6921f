using Sluice.Uring;

namespace Sluice.Hostile.Tests.Seams;

/// <summary>What happens to a source between two system calls of a copy: the copy is what was read, or says what was not.</summary>
public sealed class CopySeamTests : HostileTests
{
    private const int Left = 5000;
    private static readonly byte[] Content = Bytes.Pattern(700_000);

    [LinuxTheory]
    [InlineData("lseek SEEK_DATA", CopyMethod.Buffered, 0)]
    [InlineData("lseek SEEK_DATA", CopyMethod.CopyFileRange, Left)]
    [InlineData("lseek SEEK_DATA", CopyMethod.Direct, Left)]
    [InlineData("lseek SEEK_HOLE", CopyMethod.Buffered, 0)]
    [InlineData("lseek SEEK_HOLE", CopyMethod.Direct, 0)]
    public async Task A_source_that_is_cut_has_no_hole_behind_its_end(string at, CopyMethod method, int left)
    {
        string source = Temp.NewFile(Content);
        using (FileStream file = new(source, FileMode.Open))
        {
            // Only a file with holes is searched for them.
            file.SetLength(2 * Content.Length);
        }

        string target = Temp.NewPath();
        int cuts = 0;
        SystemCallFaults.Use((call, _, _) =>
        {
            if (call == at && Interlocked.Exchange(ref cuts, 1) == 0)
            {
                using FileStream file = new(source, FileMode.Open, FileAccess.Write, FileShare.ReadWrite);
                file.SetLength(left);
            }

            return 0;
        });
        CopyResult result = await SluiceFile.CopyAsync(source, target, new CopyOptions { Method = method, Depth = 2 });
        SystemCallFaults.Use(null);
        cuts.ShouldBe(1);
        File.ReadAllBytes(target).ShouldBeBytes(Content.AsSpan(0, left));
        (result.Bytes, result.ChangedFiles).ShouldBe((left, 1));
    }

    [LinuxTheory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_file_that_is_put_in_a_FIFOs_place_is_no_empty_file(bool keeps)
    {
        string source = Directory.CreateDirectory(Temp.NewPath()).FullName;
        string node = Path.Combine(source, "node");
        Native.MakeFifo(node);
        int reads = 0;
        int swaps = 0;
        SystemCallFaults.Use((call, fd, _) =>
        {
            // The folder has been read to its end, and its entries are looked at.
            reads += call == "getdents64" && OpenFiles.NameOf(fd) == source ? 1 : 0;
            if (call == "statx" && reads >= 2 && OpenFiles.NameOf(fd) == source && Interlocked.Exchange(ref swaps, 1) == 0)
            {
                File.Delete(node);
                File.WriteAllBytes(node, Content);
            }

            return 0;
        });
        CopyOptions options = new() { Recurse = true, PreserveMetadata = keeps };
        string target = Temp.NewPath();
        FileBatchException error = await Should.ThrowAsync<FileBatchException>(() => SluiceFile.CopyAsync(source, target, options));
        SystemCallFaults.Use(null);
        swaps.ShouldBe(1);
        error.Failures.ShouldHaveSingleItem().Path.ShouldBe(node);
        Directory.GetFileSystemEntries(target).ShouldBeEmpty();
    }

    /// <summary>The file appears before one of the calls of the copy, whose target is a link to its name.</summary>
    [LinuxFact]
    [System.Runtime.Versioning.UnsupportedOSPlatform("windows")]
    public void A_target_that_appears_meanwhile_keeps_its_permissions()
    {
        string source = Temp.NewFile(100);
        File.SetUnixFileMode(source, UnixFileMode.UserRead | UnixFileMode.GroupRead | UnixFileMode.OtherRead | UnixFileMode.UserWrite);
        int replaced = 0;
        for (int step = 1; ; step++)
        {
            string target = Temp.NewPath();
            string link = Temp.NewPath();
            File.CreateSymbolicLink(link, target);
            int calls = 0;
            bool hasAppeared = false;
            SystemCallFaults.Use((call, _, _) =>
            {
                if (call == "openat" && ++calls == step && !File.Exists(target))
                {
                    File.WriteAllText(target, "other");
                    File.SetUnixFileMode(target, UnixFileMode.UserRead | UnixFileMode.UserWrite);
                    hasAppeared = true;
                }

                return 0;
            });
            SluiceFile.Copy(source, link, new CopyOptions { Overwrite = true });
            SystemCallFaults.Use(null);
            File.ReadAllBytes(target).ShouldBe(File.ReadAllBytes(source));
            if (hasAppeared)
            {
                replaced++;
                File.GetUnixFileMode(target).ShouldBe(UnixFileMode.UserRead | UnixFileMode.UserWrite, $"step {step}");
            }

            if (calls < step)
            {
                break;
            }
        }

        replaced.ShouldBeGreaterThan(1);
    }

    [LinuxFact]
    public async Task Nothing_reads_the_source_when_a_verified_copy_has_ended()
    {
        string source = Temp.NewFile(Content);
        int failures = 0;
        int reading = 0;
        bool isVerifying = false;
        SystemCallFaults.Use((call, fd, _) =>
        {
            // Written to the disk: from here on both are read again.
            isVerifying |= call == "fsync";
            if (!isVerifying || call is not ("preadv2" or "preadv" or "pread" or "ring Read"))
            {
                return 0;
            }

            if (OpenFiles.NameOf(fd) != source)
            {
                // What is read back of the copy.
                Interlocked.Increment(ref failures);
                return -Errno.EIO;
            }

            Interlocked.Increment(ref reading);
            Thread.Sleep(100);
            Interlocked.Decrement(ref reading);
            return 0;
        });
        await Should.ThrowAsync<IOException>(() => SluiceFile.CopyAsync(source, Temp.NewPath(), new CopyOptions { Verify = true }));
        int still = Volatile.Read(ref reading);
        SystemCallFaults.Use(null);
        failures.ShouldBeGreaterThan(0);
        still.ShouldBe(0, "the source is read on, by a number that may be another file's now");
    }

    [LinuxFact]
    public async Task A_hard_link_is_copied_as_a_file_if_its_source_changed_meanwhile()
    {
        string source = Directory.CreateDirectory(Temp.NewPath()).FullName;
        string[] names = [Path.Combine(source, "one"), Path.Combine(source, "other")];
        byte[] later = Bytes.Pattern(5000, 7);
        File.WriteAllBytes(names[0], Content.AsSpan(0, 5000).ToArray());
        Native.Link(names[0], names[1]);
        int changes = 0;
        SystemCallFaults.Use((call, _, _) =>
        {
            // The first of the names is copied, and gets its times.
            if (call == "futimens" && Interlocked.Exchange(ref changes, 1) == 0)
            {
                // A clock that has not moved on since the file was made would show no change.
                DateTime before = File.GetLastWriteTimeUtc(names[0]);
                do
                {
                    using FileStream file = new(names[0], FileMode.Open, FileAccess.Write, FileShare.ReadWrite);
                    file.Write(later);
                }
                while (File.GetLastWriteTimeUtc(names[0]) == before);
            }

            return 0;
        });
        string target = Temp.NewPath();
        CopyResult result = await SluiceFile.CopyAsync(source, target, new CopyOptions { Recurse = true, PreserveMetadata = true });
        SystemCallFaults.Use(null);
        (changes, result.Files).ShouldBe((1, 2));
        byte[][] copies = [.. names.Select(name => File.ReadAllBytes(Path.Combine(target, Path.GetFileName(name))))];
        copies.Count(copy => copy.SequenceEqual(later)).ShouldBe(1);
        copies.Count(copy => copy.AsSpan().SequenceEqual(Content.AsSpan(0, 5000))).ShouldBe(1);
    }

    [LinuxTheory]
    [InlineData(Errno.ENOENT)]
    [InlineData(Errno.EACCES)]
    [InlineData(Errno.EINVAL)]
    public async Task Where_the_kernel_copies_nothing_whatever_it_says_bytes_are_read_and_written(int errno)
    {
        string source = Temp.NewFile(Content);
        string target = Temp.NewPath();
        int refused = 0;
        SystemCallFaults.Use((call, _, _) =>
        {
            refused += call == "copy_file_range" ? 1 : 0;
            return call == "copy_file_range" ? -errno : call == "ioctl" ? -Errno.EOPNOTSUPP : 0;
        });
        CopyResult result = await SluiceFile.CopyAsync(source, target);
        SystemCallFaults.Use(null);
        refused.ShouldBe(1);
        result.Method.ShouldBe(CopyMethod.Buffered);
        File.ReadAllBytes(target).ShouldBeBytes(Content);
    }

    [LinuxFact]
    public async Task Who_makes_holes_where_data_was_found_holds_no_copy_up()
    {
        const int most = 2000;
        string source = Temp.NewFile(Content);
        string target = Temp.NewPath();
        using SluiceHandle neighbour = SluiceHandle.Open(source, FileMode.Open, FileAccess.ReadWrite, FileShare.ReadWrite);
        int looks = 0;
        bool isRefused = false;
        try
        {
            // Only a file with holes is searched for them.
            neighbour.PunchHole(0, 65536);
        }
        catch (NotSupportedException e)
        {
            Skip.If(condition: true, e.Message);
        }

        SystemCallFaults.Use((call, fd, _) =>
        {
            if (call is "lseek SEEK_DATA" or "lseek SEEK_HOLE" && OpenFiles.NameOf(fd) == source && Interlocked.Increment(ref looks) < most)
            {
                if (call == "lseek SEEK_DATA")
                {
                    neighbour.Write(Content.AsSpan(0, 65536), 0);
                }
                else
                {
                    try
                    {
                        neighbour.PunchHole(0, 65536);
                    }
                    catch (NotSupportedException)
                    {
                        isRefused = true;
                    }
                }
            }

            return 0;
        });
        CopyResult result = await SluiceFile.CopyAsync(source, target, new CopyOptions { Method = CopyMethod.Buffered });
        SystemCallFaults.Use(null);
        Skip.If(isRefused, "this file system makes no holes");
        looks.ShouldBeInRange(2, 10);
        result.Bytes.ShouldBe(Content.Length);
        File.ReadAllBytes(target).AsSpan(65536).ToArray().ShouldBeBytes(Content.AsSpan(65536));
    }

    [LinuxTheory]
    [InlineData("free")]
    [InlineData("taken")]
    [InlineData("failing")]
    [InlineData("staying")]
    public async Task Where_names_can_neither_be_kept_nor_doubled_nothing_is_replaced(string way)
    {
        string source = Temp.NewFile(Content);
        string target = Temp.NewPath();
        SystemCallFaults.Use((call, _, _) =>
        {
            if (call == "linkat" && way == "taken")
            {
                File.WriteAllText(target, "somebody's");
            }

            return call == "renameat2" ? -Errno.EINVAL
                : way == "staying" ? call == "unlinkat" ? -Errno.EPERM : 0
                : call == "linkat" ? -Errno.EPERM
                : call == "renameat" && way == "failing" ? -Errno.EIO
                : 0;
        });

        // What is to be gone on from has a name from the beginning.
        Exception? error = await Record.ExceptionAsync(() => SluiceFile.CopyAsync(source, target, new CopyOptions { Resume = true }));
        SystemCallFaults.Use(null);
        string left = Path.Combine(Temp.Root, $".{Path.GetFileName(target)}.sluice-tmp");
        switch (way)
        {
            case "free":
                error.ShouldBeNull();
                File.ReadAllBytes(target).ShouldBeBytes(Content);
                File.Exists(left).ShouldBeFalse();
                break;
            case "staying":
                error.ShouldBeNull();
                File.ReadAllBytes(target).ShouldBeBytes(Content);
                break;
            case "taken":
                error.ShouldBeOfType<IOException>().Message.ShouldContain(target);
                File.ReadAllText(target).ShouldBe("somebody's");
                break;
            default:
                error.ShouldBeOfType<IOException>().HResult.ShouldBe(Errno.EIO);
                Directory.GetFileSystemEntries(Temp.Root).ShouldBe([source, left], ignoreOrder: true);
                break;
        }
    }
}
