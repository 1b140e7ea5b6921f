using System.Runtime.Versioning;
using System.Text;
using Microsoft.Win32.SafeHandles;

namespace Sluice.Tests.Files;

/// <summary>Copies are whole or not there, and the source is left alone.</summary>
[UnsupportedOSPlatform("windows")]
public sealed class SluiceFileCopyTests : IDisposable
{
    private static readonly int[] Lengths = [0, 1, 511, 512, 4096, 65_535, 65_536, 65_537, (1 << 20) + 1, 3_000_777];

    private readonly TempFolder _temp = new();

    public static TheoryData<CopyMethod> Methods => [CopyMethod.Auto, CopyMethod.Direct, CopyMethod.CopyFileRange, CopyMethod.Buffered];

    public void Dispose() => _temp.Dispose();

    [SkippableTheory]
    [MemberData(nameof(Methods))]
    public async Task Any_length_is_copied_to_the_byte(CopyMethod method)
    {
        foreach (int length in Lengths)
        {
            foreach (int depth in (int[])[1, 4])
            {
                string source = _temp.NewFile(Bytes.Pattern(length, length));
                string target = _temp.NewPath();
                CopyResult result = await CopyOrSkipAsync(source, target, new CopyOptions { Method = method, Depth = depth });
                File.ReadAllBytes(target).ShouldBeBytes(Bytes.Pattern(length, length), $"{length} bytes, depth {depth}");
                File.ReadAllBytes(source).ShouldBeBytes(Bytes.Pattern(length, length));
                (result.Bytes, result.Files).ShouldBe((length, 1));
                File.GetUnixFileMode(target).ShouldBe(File.GetUnixFileMode(source));
                if (method != CopyMethod.Auto)
                {
                    result.Method.ShouldBe(method);
                }

                File.Delete(source);
                File.Delete(target);
            }
        }

        Directory.GetFileSystemEntries(_temp.Root).ShouldBeEmpty();
    }

    [Theory]
    [InlineData(4096)]
    [InlineData(20_000_000)]
    public void A_new_target_is_locked_until_it_is_complete(int length)
    {
        string source = _temp.NewFile(Bytes.Pattern(length, 1));
        string target = _temp.NewPath();
        List<Exception?> opened = [];
        CopyOptions options = new()
        {
            Progress = new Telling(progress =>
            {
                if (progress.Files == 0)
                {
                    opened.Add(Record.Exception(() => File.OpenRead(target).Dispose()));
                }
            }),
        };
        CopyResult result = SluiceFile.Copy(source, target, options);
        (result.Bytes, result.Files).ShouldBe((length, 1));
        opened.ShouldNotBeEmpty();
        opened.ShouldAllBe(error => error is IOException);
        File.ReadAllBytes(target).ShouldBeBytes(Bytes.Pattern(length, 1));
    }

    [Fact]
    public void A_failed_copy_removes_its_own_file_only()
    {
        string source = _temp.NewFile(Bytes.Pattern(4096, 1));
        string folder = _temp.NewPath();
        Directory.CreateDirectory(folder);
        string target = Path.Combine(folder, "name");
        using CancellationTokenSource cancel = new();
        CopyOptions options = new()
        {
            Progress = new Telling(_ =>
            {
                if (!cancel.IsCancellationRequested)
                {
                    Directory.Move(folder, folder + ".moved");
                    Directory.CreateDirectory(folder);
                    File.WriteAllText(target, "of somebody else");
                    cancel.Cancel();
                }
            }),
        };
        Should.Throw<OperationCanceledException>(() => SluiceFile.Copy(source, target, options, cancel.Token));
        File.ReadAllText(target).ShouldBe("of somebody else");

        File.Delete(target);
        Should.Throw<ArgumentNullException>(() => SluiceFile.Copy(source, target, null!));
        Should.Throw<OperationCanceledException>(() => SluiceFile.Copy(source, target, new CopyOptions(), new CancellationToken(true)));
        File.Exists(target).ShouldBeFalse();
    }

    [SkippableTheory]
    [MemberData(nameof(Methods))]
    public async Task Holes_stay_holes(CopyMethod method)
    {
        Skip.IfNot(OperatingSystem.IsLinux(), "SEEK_HOLE is asked on Linux");
        string source = NewSparse(12_000_001, (10_000, 0), (300_000, 2_000_000), (100, 7_000_003));

        string target = _temp.NewPath();
        _ = await CopyOrSkipAsync(source, target, new CopyOptions { Method = method });
        File.ReadAllBytes(target).ShouldBeBytes(File.ReadAllBytes(source));
        Allocated(target).ShouldBeLessThan(Allocated(source) + 100_000);
        Allocated(target).ShouldBeGreaterThan(300_000);
    }

    /// <summary>open(2) blocks until the holder of the lease has given it up.</summary>
    [SkippableFact]
    public async Task A_copy_of_a_file_under_a_lease_leaves_its_caller()
    {
        Skip.IfNot(OperatingSystem.IsLinux(), "leases are Linux's");
        string source = _temp.NewFile("leased"u8);
        string target = _temp.NewPath();
        Task<CopyResult> copy;
        using (SafeFileHandle leased = File.OpenHandle(source, FileMode.Open, FileAccess.ReadWrite, FileShare.ReadWrite))
        {
            Skip.IfNot(Native.TakeLease(leased), "the file system has no leases");
            copy = SluiceFile.CopyAsync(source, target);
            copy.IsCompleted.ShouldBeFalse();
        }

        (await copy).Bytes.ShouldBe(6);
        File.ReadAllText(target).ShouldBe("leased");
    }

    [SkippableFact]
    public async Task What_may_not_be_copied_says_so_and_changes_nothing()
    {
        string source = _temp.NewFile(Bytes.Pattern(1000));
        string other = _temp.NewFile(Bytes.Pattern(10));
        string folder = Directory.CreateDirectory(_temp.NewPath()).FullName;
        string fifo = _temp.NewFifo();
        CopyOptions overwriting = new() { Overwrite = true };
        (await Should.ThrowAsync<IOException>(() => SluiceFile.CopyAsync(source, other))).Message.ShouldContain("there already");
        (await Should.ThrowAsync<IOException>(() => SluiceFile.CopyAsync(source, source, overwriting))).Message.ShouldContain("same file");
        string link = _temp.NewPath();
        File.CreateSymbolicLink(link, source);
        (await Should.ThrowAsync<IOException>(() => SluiceFile.CopyAsync(source, link, overwriting))).Message.ShouldContain("same file");
        File.Delete(link);
        await Should.ThrowAsync<FileNotFoundException>(() => SluiceFile.CopyAsync(_temp.NewPath(), other, overwriting));
        await Should.ThrowAsync<DirectoryNotFoundException>(() => SluiceFile.CopyAsync(source, Path.Combine(_temp.NewPath(), "x")));
        (await Should.ThrowAsync<UnauthorizedAccessException>(() =>
            SluiceFile.CopyAsync(source, folder, overwriting))).Message.ShouldContain("folder");
        (await Should.ThrowAsync<UnauthorizedAccessException>(() =>
            SluiceFile.CopyAsync(folder, other, overwriting))).Message.ShouldContain("folder");
        (await Should.ThrowAsync<IOException>(() =>
            SluiceFile.CopyAsync(source, fifo, overwriting))).Message.ShouldContain("not a regular file");
        (await Should.ThrowAsync<IOException>(() =>
            SluiceFile.CopyAsync(source, "/dev/null", overwriting))).Message.ShouldContain("not a regular file");
        (await Should.ThrowAsync<IOException>(() =>
            SluiceFile.CopyAsync(fifo, _temp.NewPath()))).Message.ShouldContain("not a regular file");
        Should.Throw<ArgumentException>(() => SluiceFile.CopyAsync("", other));
        File.ReadAllBytes(source).ShouldBeBytes(Bytes.Pattern(1000));
        File.ReadAllBytes(other).ShouldBeBytes(Bytes.Pattern(10));
        Directory.GetFileSystemEntries(_temp.Root).Length.ShouldBe(4);
    }

    [Fact]
    public async Task Kept_metadata_is_the_sources()
    {
        string source = _temp.NewFile(Bytes.Pattern(1000));
        File.SetUnixFileMode(source, UnixFileMode.UserRead | UnixFileMode.GroupWrite);
        byte[] large = Bytes.Pattern(1000);
        bool hasAttributes = OperatingSystem.IsLinux() && Native.SetAttribute(source, "user.large", large) == 0;
        DateTime accessed = new DateTime(2002, 3, 4, 5, 6, 7, DateTimeKind.Utc).AddTicks(7654321);
        File.SetLastWriteTimeUtc(source, new DateTime(2001, 2, 3, 4, 5, 6, DateTimeKind.Utc).AddTicks(1234567));
        File.SetLastAccessTimeUtc(source, accessed);
        string target = _temp.NewPath();
        _ = await SluiceFile.CopyAsync(source, target, new CopyOptions { PreserveMetadata = true, FlushToDisk = true });
        if (OperatingSystem.IsLinux())
        {
            File.GetLastAccessTimeUtc(target).ShouldBe(accessed);
            Native.GetAttribute(target, "user.large").ShouldBe(hasAttributes ? large : null);
        }

        File.Delete(target);
        _ = await SluiceFile.CopyAsync(source, target, new CopyOptions { PreserveMetadata = true, FlushToDisk = true, Verify = true });
        File.GetUnixFileMode(target).ShouldBe(File.GetUnixFileMode(source));
        File.GetLastWriteTimeUtc(target).ShouldBe(File.GetLastWriteTimeUtc(source));
        File.ReadAllBytes(target).ShouldBeBytes(Bytes.Pattern(1000));
    }

    [SkippableTheory]
    [MemberData(nameof(Methods))]
    public async Task A_source_that_is_cut_or_written_meanwhile_is_copied_as_it_was_read(CopyMethod method)
    {
        Skip.IfNot(OperatingSystem.IsLinux(), "the portable way cannot see it");
        string source = _temp.NewFile(Bytes.Pattern(4_000_000));
        string target = _temp.NewPath();
        Within cuts = new(() =>
        {
            using SluiceHandle handle = SluiceHandle.Open(source, FileMode.Open, FileAccess.Write, FileShare.ReadWrite);
            handle.SetLength(200_000);
        });
        List<CopyProgress> reports = [];
        Telling both = new(report =>
        {
            cuts.Report(report);
            reports.Add(report);
        });
        CopyResult result = await CopyOrSkipAsync(source, target, new CopyOptions { Method = method, Depth = 2, Progress = both });
        result.ChangedFiles.ShouldBe(1);
        result.Bytes.ShouldBeInRange(200_000, 4_000_000);
        new FileInfo(target).Length.ShouldBe(result.Bytes);
        byte[] copied = File.ReadAllBytes(target);
        copied.ShouldBeBytes([.. Bytes.Pattern(4_000_000).AsSpan(0, copied.Length)]);
        reports[^1].ShouldBe(new CopyProgress(result.Bytes, result.Bytes, 1, 1));

        File.WriteAllBytes(source, Bytes.Pattern(4_000_000));
        Within touches = new(() => File.SetLastWriteTimeUtc(source, DateTime.UnixEpoch));
        CopyOptions again = new() { Method = method, Overwrite = true, Progress = touches };
        (await CopyOrSkipAsync(source, target, again)).ChangedFiles.ShouldBe(1);
        File.ReadAllBytes(target).ShouldBeBytes(Bytes.Pattern(4_000_000));

        // Within the second, too.
        File.SetLastWriteTimeUtc(source, DateTime.UnixEpoch);
        Within nudges = new(() => File.SetLastWriteTimeUtc(source, DateTime.UnixEpoch.AddMilliseconds(1)));
        CopyOptions nudged = new() { Method = method, Overwrite = true, Progress = nudges };
        (await CopyOrSkipAsync(source, target, nudged)).ChangedFiles.ShouldBe(1);
        (await CopyOrSkipAsync(source, target, new CopyOptions { Method = method, Overwrite = true })).ChangedFiles.ShouldBe(0);
        Directory.GetFileSystemEntries(_temp.Root).ShouldBe([source, target], ignoreOrder: true);
    }

    [SkippableTheory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_source_that_is_written_meanwhile_is_found_by_verifying(bool isTree)
    {
        Skip.IfNot(OperatingSystem.IsLinux(), "the portable way cannot see it");
        string source = Directory.CreateDirectory(_temp.NewPath()).FullName;
        string file = Path.Combine(source, "file");
        File.WriteAllBytes(file, Bytes.Pattern(4_000_000));
        string target = _temp.NewPath();
        Within writes = new(() =>
        {
            // The first byte is copied before progress is reported.
            using FileStream writer = new(file, FileMode.Open, FileAccess.Write, FileShare.ReadWrite);
            writer.WriteByte((byte)~Bytes.Pattern(1)[0]);
        });
        CopyOptions options = new() { Recurse = isTree, Verify = true, Progress = writes };
        IOException error = await Should.ThrowAsync<IOException>(() => SluiceFile.CopyAsync(isTree ? source : file, target, options));
        error.Message.ShouldContain("differs from the source");
        File.Exists(isTree ? Path.Combine(target, "file") : target).ShouldBeFalse();
        Directory.GetFileSystemEntries(_temp.Root, ".*").ShouldBeEmpty();
    }

    [SkippableFact]
    [System.Runtime.Versioning.SupportedOSPlatform("linux")]
    public void As_many_bytes_as_were_copied_are_verified()
    {
        Skip.IfNot(OperatingSystem.IsLinux(), "elsewhere System.IO copies");
        using FileStream source = File.Open(_temp.NewFile([.. Bytes.Pattern(100_000), 1, 2, 3]), FileMode.Open);
        using FileStream copy = File.Open(_temp.NewFile(Bytes.Pattern(100_000)), FileMode.Open);
        Verify();
        copy.SetLength(99_999);
        Should.Throw<IOException>(Verify);
        source.SetLength(99_999);
        Should.Throw<IOException>(Verify);

        void Verify() => Copying.ContentComparer.Verify(
            (int)source.SafeFileHandle.DangerousGetHandle(), source.Name, (int)copy.SafeFileHandle.DangerousGetHandle(), copy.Name, 100_000, default);
    }

    /// <summary>A file of /proc reports the length 0, and a file of /sys that of a page.</summary>
    [SkippableTheory]
    [InlineData("/proc/sys/fs/inotify/max_user_watches")]
    [InlineData("/sys/kernel/mm/transparent_hugepage/enabled")]
    public async Task A_file_whose_length_is_not_the_truth_is_copied_to_its_end(string file)
    {
        Skip.IfNot(File.Exists(file), "there is no such file");
        byte[] expected = Encoding.ASCII.GetBytes(File.ReadAllText(file));
        new FileInfo(file).Length.ShouldNotBe(expected.Length);
        foreach (CopyMethod method in (CopyMethod[])[CopyMethod.Auto, CopyMethod.Buffered])
        {
            string target = _temp.NewPath();
            CopyResult result = await SluiceFile.CopyAsync(file, target, new CopyOptions { Method = method, Verify = true });
            File.ReadAllBytes(target).ShouldBe(expected);
            result.Bytes.ShouldBe(expected.Length);
            result.MethodReason.ShouldBe("the file did not have the length that it reported");
        }

        string folder = _temp.NewPath();
        _ = await SluiceFile.CopyAsync(Path.GetDirectoryName(file)!, folder, new CopyOptions { Recurse = true, ContinueOnError = true });
        File.ReadAllBytes(Path.Combine(folder, Path.GetFileName(file))).ShouldBe(expected);
    }

    [SkippableTheory]
    [MemberData(nameof(Methods))]
    public async Task A_cancelled_copy_leaves_nothing_or_what_can_be_resumed(CopyMethod method)
    {
        SmallPieces.OrSkip();
        Skip.IfNot(OperatingSystem.IsLinux(), "temporary files are kept on Linux");
        byte[] content = Bytes.Pattern(6_000_123);
        string source = _temp.NewFile(content);
        string target = _temp.NewPath();
        foreach (bool resumes in (bool[])[false, true])
        {
            using CancellationTokenSource stop = new();
            // With one request at a time, the first block is the one that is there when the copy is canceled.
            CopyOptions options = new() { Method = method, Depth = 1, Resume = resumes, Progress = new Within(stop.Cancel) };
            await ThrowsOrSkipAsync<OperationCanceledException>(source, target, options, stop.Token);
            File.Exists(target).ShouldBeFalse();
            Directory.GetFileSystemEntries(_temp.Root).Length.ShouldBe(resumes ? 2 : 1);
        }

        CopyResult result = await CopyOrSkipAsync(source, target, new CopyOptions { Method = method, Resume = true, Verify = true });
        result.ResumedBytes.ShouldBeGreaterThan(0);
        result.Bytes.ShouldBe(content.Length);
        File.ReadAllBytes(target).ShouldBeBytes(content);
        Directory.GetFileSystemEntries(_temp.Root).Length.ShouldBe(2);
    }

    [SkippableFact]
    public async Task What_another_user_left_is_not_gone_on_from()
    {
        Skip.IfNot(OperatingSystem.IsLinux() && Environment.IsPrivilegedProcess, "only root can make another user's file");
        byte[] content = Bytes.Pattern(500_000);
        string source = _temp.NewFile(content);
        string target = _temp.NewPath();
        string left = Path.Combine(_temp.Root, $".{Path.GetFileName(target)}.sluice-tmp");
        File.WriteAllBytes(left, content);
        File.SetUnixFileMode(left, UnixFileMode.UserRead | UnixFileMode.UserWrite);
        _ = Trees.Run("chown", "12345", left);
        CopyResult result = await SluiceFile.CopyAsync(source, target, new CopyOptions { Resume = true });
        result.ResumedBytes.ShouldBe(0);
        Trees.Run("stat", "-c", "%u", target).Trim().ShouldBe("0");
        File.ReadAllBytes(target).ShouldBeBytes(content);
    }

    [SkippableFact]
    public async Task Nobody_else_reads_a_copy_before_it_has_its_owner()
    {
        Skip.IfNot(OperatingSystem.IsLinux(), "modes");
        string source = _temp.NewFile(Bytes.Pattern(4_000_000));
        File.SetUnixFileMode(source, UnixFileMode.UserRead | UnixFileMode.GroupRead | UnixFileMode.OtherRead);
        string target = _temp.NewPath();
        UnixFileMode meanwhile = 0;
        Within looks = new(() => meanwhile = File.GetUnixFileMode(Path.Combine(_temp.Root, $".{Path.GetFileName(target)}.sluice-tmp")));
        _ = await SluiceFile.CopyAsync(source, target,
            new CopyOptions { PreserveMetadata = true, Resume = true, Progress = looks, Method = CopyMethod.Buffered });
        meanwhile.ShouldBe(UnixFileMode.UserRead | UnixFileMode.UserWrite);
        File.GetUnixFileMode(target).ShouldBe(File.GetUnixFileMode(source));
    }

    [SkippableFact]
    public async Task A_target_that_ends_as_a_folder_is_one()
    {
        Skip.IfNot(OperatingSystem.IsLinux(), "slashes");
        string source = _temp.NewFile(100);
        string target = _temp.NewPath();
        (await Should.ThrowAsync<DirectoryNotFoundException>(() =>
            SluiceFile.CopyAsync(source, target + "/"))).Message.ShouldContain("no such folder");
        Directory.GetFileSystemEntries(_temp.Root).ShouldBe([source]);
        string folder = Directory.CreateDirectory(_temp.NewPath()).FullName;
        _ = await SluiceFile.CopyAsync(folder, target + "/", new CopyOptions { Recurse = true });
        Directory.GetFileSystemEntries(target).ShouldBeEmpty();
    }

    [Fact]
    public async Task Progress_ends_at_the_whole()
    {
        string source = _temp.NewFile(Bytes.Pattern(2_000_000));
        List<CopyProgress> reports = [];
        _ = await SluiceFile.CopyAsync(source, _temp.NewPath(), new CopyOptions { Progress = new Telling(reports.Add) });
        reports[^1].ShouldBe(new CopyProgress(2_000_000, 2_000_000, 1, 1));
        reports.Select(r => r.Bytes).ShouldBe(reports.Select(r => r.Bytes).Order());
    }

    [Fact]
    public async Task A_method_that_is_asked_for_and_impossible_is_an_error()
    {
        string source = _temp.NewFile(Bytes.Pattern(1000));
        string target = _temp.NewPath();
        Exception? error =
            await Record.ExceptionAsync(() => SluiceFile.CopyAsync(source, target, new CopyOptions { Method = CopyMethod.Reflink }));
        if (error is null)
        {
            File.ReadAllBytes(target).ShouldBeBytes(Bytes.Pattern(1000));
            return;
        }

        error.ShouldBeAssignableTo<IOException>()!.Message.ShouldContain("Reflink");
        Directory.GetFileSystemEntries(_temp.Root).ShouldBe([source]);
    }

    /// <summary>A file with holes around stretches of so many bytes at such offsets.</summary>
    private string NewSparse(long length, params (int Length, long Offset)[] stretches)
    {
        string path = _temp.NewPath();
        using SluiceHandle handle = SluiceHandle.Open(path, FileMode.CreateNew, FileAccess.ReadWrite);
        handle.SetLength(length);
        foreach ((int count, long offset) in stretches)
        {
            handle.Write(Bytes.Pattern(count), offset);
        }

        handle.FlushToDisk();
        return path;
    }

    private static long Allocated(string path) => long.Parse(Trees.Run("stat", "-c", "%b", path)) * 512;

    private static async Task<CopyResult> CopyOrSkipAsync(string source, string target, CopyOptions options)
    {
        try
        {
            return await SluiceFile.CopyAsync(source, target, options);
        }
        catch (Exception e) when (options.Method != CopyMethod.Auto && e.Message.Contains("not possible here"))
        {
            Skip.If(true, e.Message);
            throw;
        }
    }

    private static async Task<T> ThrowsOrSkipAsync<T>(string source, string target, CopyOptions options, CancellationToken token = default)
        where T : Exception
    {
        Exception? error = await Record.ExceptionAsync(() => SluiceFile.CopyAsync(source, target, options, token));
        Skip.If(error?.Message.Contains("not possible here") == true, error?.Message);
        return error.ShouldBeAssignableTo<T>()!;
    }
}
