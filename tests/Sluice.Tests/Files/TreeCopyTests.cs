using System.Net.Sockets;
using System.Runtime.Versioning;
using static Sluice.Tests.Support.Trees;

namespace Sluice.Tests.Files;

/// <summary>Trees, compared with those that cp makes: contents and metadata.</summary>
[UnsupportedOSPlatform("windows")]
public sealed class TreeCopyTests : IDisposable
{
    // Without -p: no times, and names of one file become files of their own.
    private const string Plain = @"%P|%y|%m|%U|%G|%l\n";

    private readonly TempFolder _temp = new();

    public void Dispose() => _temp.Dispose();

    [SkippableTheory]
    [InlineData(1)]
    [InlineData(2)]
    public async Task A_tree_is_what_cp_makes_of_it(int seed)
    {
        Skip.IfNot(OperatingSystem.IsLinux(), "metadata is Linux's");
        string source = MakeTree(seed);
        foreach (bool keeps in (bool[])[true, false])
        {
            (string expected, string actual) = (_temp.NewPath(), _temp.NewPath());
            Run("cp", keeps ? "-a" : "-r", source, expected);
            if (!keeps)
            {
                // As File.Copy, and unlike cp, files have the permissions of their sources whatever the umask is.
                Run("sh", "-c", "cd \"$0\" && find . -type f -exec sh -c 'chmod --reference=\"$0\" \"$1/$0\"' {} \"$1\" ';'", source,
                    expected);
            }

            CopyResult result = await SluiceFile.CopyAsync(source, actual, new CopyOptions { Recurse = true, PreserveMetadata = keeps });
            ShouldBeSame(Listing(actual, keeps ? Everything : Plain), Listing(expected, keeps ? Everything : Plain));
            Hashes(actual).ShouldBe(Hashes(expected));
            result.Files.ShouldBe(Listing(actual, "%y\n").Count(t => t != "d"));
            result.Folders.ShouldBe(Listing(actual, "%y\n").Count(t => t == "d"));
        }
    }

    /// <summary>Also those of files that are small enough for one read and one write.</summary>
    [SkippableTheory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Holes_stay_holes(bool isThere)
    {
        Skip.IfNot(OperatingSystem.IsLinux(), "holes are found on Linux");
        string source = Directory.CreateDirectory(_temp.NewPath()).FullName;
        foreach (int length in (int[])[1, 8 * 1024, 200 * 1024])
        {
            using FileStream hole = new(Path.Combine(source, $"{length} of nothing"), FileMode.CreateNew);
            hole.SetLength(length);
        }

        using (FileStream part = new(Path.Combine(source, "data behind a hole"), FileMode.CreateNew))
        {
            part.Position = 4096;
            part.Write(Bytes.Pattern(4000));
        }

        File.WriteAllBytes(Path.Combine(source, "data"), Bytes.Pattern(8000));
        const string format = "%P|%s|%b\n";
        string[] expected = Listing(source, format);
        Skip.IfNot(expected.Contains("8192 of nothing|8192|0"), "this file system has no holes");
        string target = isThere ? Directory.CreateDirectory(_temp.NewPath()).FullName : _temp.NewPath();
        CopyResult result = await SluiceFile.CopyAsync(source, target, new CopyOptions { Recurse = true });
        result.Bytes.ShouldBe(1 + (8 * 1024) + (200 * 1024) + 8096 + 8000);
        ShouldBeSame([.. Listing(target, format).Where(IsFile)], [.. expected.Where(IsFile)]);
        Hashes(target).ShouldBe(Hashes(source));

        static bool IsFile(string line) => line[0] != '|';
    }

    [SkippableFact]
    public async Task Many_files_in_one_folder_are_all_copied()
    {
        Skip.IfNot(OperatingSystem.IsLinux(), "the parallel way is Linux's");
        string source = Directory.CreateDirectory(_temp.NewPath()).FullName;
        for (int i = 0; i < 1000; i++)
        {
            File.WriteAllBytes(Path.Combine(source, $"{i}"), Bytes.Pattern(i % 500, i));
        }

        string target = _temp.NewPath();
        List<CopyProgress> reports = [];
        CopyResult result =
            await SluiceFile.CopyAsync(source, target, new CopyOptions { Recurse = true, Progress = new Telling(reports.Add) });
        result.Files.ShouldBe(1000);
        Hashes(target).ShouldBe(Hashes(source));
        reports[^1].Files.ShouldBe(1000);
        reports[^1].Bytes.ShouldBe(reports[^1].TotalBytes);
    }

    [SkippableFact]
    public async Task A_tree_that_is_there_takes_the_files_and_keeps_its_own()
    {
        Skip.IfNot(OperatingSystem.IsLinux(), "the parallel way is Linux's");
        string source = MakeTree(5);
        string expected = Directory.CreateDirectory(_temp.NewPath()).FullName;
        string actual = Directory.CreateDirectory(_temp.NewPath()).FullName;
        foreach (string folder in (string[])[expected, actual])
        {
            File.WriteAllText(Path.Combine(folder, "own"), "stays");
            File.SetLastWriteTimeUtc(Path.Combine(folder, "own"), DateTime.UnixEpoch);
            File.WriteAllText(Path.Combine(folder, "f0"), "is replaced");
        }

        Run("cp", "-aT", source, expected);
        CopyOptions options = new() { Recurse = true, PreserveMetadata = true, Overwrite = true };
        _ = await SluiceFile.CopyAsync(source, actual, options);
        ShouldBeSame(Listing(actual, Everything), Listing(expected, Everything));
        Hashes(actual).ShouldBe(Hashes(expected));

        // Once more without the permission to replace: every file says so, and none changes.
        CopyOptions keeping = new() { ContinueOnError = true, Recurse = true, PreserveMetadata = true };
        FileBatchException refused = await Should.ThrowAsync<FileBatchException>(() => SluiceFile.CopyAsync(source, actual, keeping));
        refused.Failures.Count.ShouldBe(Listing(source, "%y\n").Count(t => t != "d"));
        Hashes(actual).ShouldBe(Hashes(expected));
    }

    [SkippableFact]
    public async Task A_target_inside_the_source_or_the_source_itself_is_refused()
    {
        Skip.IfNot(OperatingSystem.IsLinux(), "inodes are compared on Linux");
        string source = MakeTree(6);
        string[] before = Listing(source, Everything);
        string link = _temp.NewPath();
        Directory.CreateSymbolicLink(link, source);
        CopyOptions options = new() { Recurse = true, Overwrite = true };
        (await Should.ThrowAsync<IOException>(() =>
            SluiceFile.CopyAsync(source, Path.Combine(source, "it"), options))).Message.ShouldContain("inside");
        (await Should.ThrowAsync<IOException>(() =>
            SluiceFile.CopyAsync(source, Path.Combine(link, "in"), options))).Message.ShouldContain("inside");
        (await Should.ThrowAsync<IOException>(() => SluiceFile.CopyAsync(source, source, options))).Message.ShouldContain("same folder");
        (await Should.ThrowAsync<IOException>(() =>
            SluiceFile.CopyAsync(source, _temp.NewFile(1), options))).Message.ShouldContain("not a folder");
        await Should.ThrowAsync<UnauthorizedAccessException>(() => SluiceFile.CopyAsync(source, _temp.NewPath()));
        Listing(source, Everything).ShouldBe(before);
    }

    [SkippableTheory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task FIFOs_sockets_and_devices_are_what_cp_makes_of_them(bool keeps)
    {
        Skip.IfNot(OperatingSystem.IsLinux(), "nodes are Linux's");
        string source = Directory.CreateDirectory(_temp.NewPath()).FullName;
        Run("mkfifo", "-m", "640", Path.Combine(source, "fifo"));
        Run("ln", Path.Combine(source, "fifo"), Path.Combine(source, "same fifo"));
        Run("touch", "-d", "2001-02-03 04:05:06.789", Path.Combine(source, "fifo"));
        using (Socket socket = new(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified))
        {
            // A path of a socket is short.
            string shortPath = Path.Combine(Path.GetTempPath(), $"{Guid.NewGuid():N}");
            socket.Bind(new UnixDomainSocketEndPoint(shortPath));
            Run("mv", shortPath, Path.Combine(source, "socket"));
        }

        if (Environment.IsPrivilegedProcess)
        {
            Run("mknod", "-m", "600", Path.Combine(source, "null"), "c", "1", "3");
            Run("mknod", "-m", "606", Path.Combine(source, "large numbers"), "b", "4095", "1048575");
        }

        (string expected, string actual) = (_temp.NewPath(), _temp.NewPath());
        Run("cp", keeps ? "-a" : "-r", source, expected);
        CopyResult result = await SluiceFile.CopyAsync(source, actual, new CopyOptions { Recurse = true, PreserveMetadata = keeps });
        ShouldBeSame(Listing(actual, keeps ? Everything : Plain), Listing(expected, keeps ? Everything : Plain));
        ShouldBeSame(Numbers(actual), Numbers(expected));
        result.Files.ShouldBe(Listing(actual, "%y\n").Count(t => t != "d"));

        // Again, over what is there.
        result = await SluiceFile.CopyAsync(source, actual, new CopyOptions { Recurse = true, PreserveMetadata = keeps, Overwrite = true });
        ShouldBeSame(Numbers(actual), Numbers(expected));

        static string[] Numbers(string folder) =>
            [.. Directory.EnumerateFileSystemEntries(folder).Order(StringComparer.Ordinal).Select(p =>
                Path.GetFileName(p) + " " + Run("stat", "-c", "%F %t %T", p).Trim())];
    }

    [SkippableFact]
    public async Task A_device_that_may_not_be_made_is_an_error_of_its_own()
    {
        Skip.IfNot(OperatingSystem.IsLinux() && Environment.IsPrivilegedProcess, "only root can make the device that others may not copy");
        string source = Directory.CreateDirectory(_temp.NewPath()).FullName;
        string device = Path.Combine(source, "null");
        Run("mknod", device, "c", "1", "3");
        string blocked = Directory.CreateDirectory(_temp.NewPath()).FullName;
        Directory.CreateDirectory(Path.Combine(blocked, "null"));
        File.WriteAllText(Path.Combine(source, "file"), "x");
        CopyOptions options = new() { ContinueOnError = true, Recurse = true, Overwrite = true };
        FileBatchException result = await Should.ThrowAsync<FileBatchException>(() => SluiceFile.CopyAsync(source, blocked, options));
        FileFailure failure = result.Failures.ShouldHaveSingleItem();
        failure.Path.ShouldBe(device);
        failure.Error.Message.ShouldContain("character device");
        File.ReadAllText(Path.Combine(blocked, "file")).ShouldBe("x");
    }

    private string MakeTree(int seed)
    {
        Random random = new(seed);
        string root = Directory.CreateDirectory(_temp.NewPath()).FullName;
        List<string> files = [];
        Fill(root, 0);
        return root;

        void Fill(string folder, int depth)
        {
            for (int i = random.Next(1, 6); i >= 0; i--)
            {
                string file = Path.Combine(folder, $"f{i}");
                File.WriteAllBytes(file, Bytes.Pattern(random.Next(random.Next(3) switch { 0 => 1, 1 => 10_000, _ => 300_000 }), i));
                File.SetUnixFileMode(file, (UnixFileMode)(0x100 | random.Next(0x200)));
                File.SetLastWriteTimeUtc(file, DateTime.UnixEpoch.AddSeconds(random.Next()).AddTicks(random.Next(10_000_000)));
                files.Add(file);
            }

            if (random.Next(2) == 0)
            {
                File.CreateSymbolicLink(Path.Combine(folder, "link"), random.Next(2) == 0 ? "f0" : "../nowhere");
                Run("ln", files[random.Next(files.Count)], Path.Combine(folder, "second-name"));
                Run("ln", "-P", Path.Combine(folder, "link"), Path.Combine(folder, "second-link"));
            }

            if (random.Next(3) == 0)
            {
                using SluiceHandle sparse = SluiceHandle.Open(Path.Combine(folder, "sparse"), FileMode.CreateNew, FileAccess.ReadWrite);
                sparse.SetLength(5_000_000);
                sparse.Write(Bytes.Pattern(5000), 2_000_000);
            }

            for (int i = depth < 3 ? random.Next(3) : 0; i > 0; i--)
            {
                Fill(Directory.CreateDirectory(Path.Combine(folder, $"d{i}")).FullName, depth + 1);
            }

            File.SetUnixFileMode(folder, (UnixFileMode)(0x1C0 | random.Next(0x40)));
            Directory.SetLastWriteTimeUtc(folder, DateTime.UnixEpoch.AddSeconds(random.Next()));
        }
    }
}
