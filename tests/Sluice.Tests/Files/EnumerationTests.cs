using FsCheck;
using FsCheck.Fluent;
using Sluice.Tests.Shared;

namespace Sluice.Tests.Files;

/// <summary>The files that <see cref="Directory.EnumerateFiles(string, string, EnumerationOptions)"/> finds, under the same
/// options.</summary>
[Trait("Runs", "once")]
public sealed class EnumerationTests : IDisposable
{
    private static readonly string[] Names = ["a.txt", "b.TXT", ".hidden", "ä.txt", "c", "d.md", "x.y.z", "back\\slash", "say\"<hi>", "*"];
    private static readonly string[] Folders = ["sub", ".secret", "Deep", "empty"];
    private static readonly string[] Patterns =
        ["*", "*.*", "", ".", "*.txt", "?.txt", "a*", "*.t?t", "sub/*", "x.*", "back\\slash", "say\"*", "*hi>", "\\*", "[a]", "nothing*",
            "a<", "a<txt", "a>txt", "a\"txt"];

    private readonly TempFolder _temp = new();

    public void Dispose() => _temp.Dispose();

    [Fact]
    public void Any_tree_gives_the_same_files_under_any_options()
    {
        if (OperatingSystem.IsWindows())
        {
            return;
        }

        Gen<EnumerationOptions> options =
            from recurses in Gen.Elements(true, false)
            from depth in Gen.Elements(0, 1, 2, int.MaxValue)
            from type in Gen.Elements(MatchType.Simple, MatchType.Win32)
            from casing in Gen.Elements(MatchCasing.PlatformDefault, MatchCasing.CaseInsensitive, MatchCasing.CaseSensitive)
            from skipped in Gen.Elements(default, FileAttributes.Hidden | FileAttributes.System, FileAttributes.Hidden,
                FileAttributes.ReadOnly, FileAttributes.ReparsePoint, FileAttributes.Directory)
            from special in Gen.Elements(true, false)
            select new EnumerationOptions
            {
                RecurseSubdirectories = recurses,
                MaxRecursionDepth = depth,
                MatchType = type,
                MatchCasing = casing,
                AttributesToSkip = skipped,
                ReturnSpecialDirectories = special,
            };
        Gen<int> seeds = Gen.Choose(0, 8);
        Dictionary<int, string> trees = [];
        Prop.ForAll(seeds.ToArbitrary(), Gen.Elements(Patterns).ToArbitrary(), options.ToArbitrary(), (seed, pattern, chosen) =>
        {
            if (!trees.TryGetValue(seed, out string? root))
            {
                trees[seed] = root = MakeTree(seed);
            }

            string[] expected = Sorted(() => Directory.EnumerateFiles(root, pattern, chosen));
            Sorted(() => SluiceFile.EnumerateFiles(root, pattern, chosen)).ShouldBe(expected);
            Sorted(() => SluiceFile.EnumerateFileEntries(root, pattern, chosen).Select(e => e.Path)).ShouldBe(expected);
        }).Check(Config.QuickThrowOnFailure.WithMaxTest(100));
    }

    [Fact]
    public void Wrong_arguments_and_missing_folders_give_the_same_exceptions()
    {
        string file = _temp.NewFile(1);
        (string? Path, string? Pattern)[] cases =
            [("", "*"), (null, "*"), (_temp.Root, null), (_temp.NewPath(), "*"), (file, "*"), (_temp.Root, "/abs"),
                (_temp.Root, "no/such"), ("a\0b", "*"), (_temp.Root, "a\0b"), (_temp.Root, "..")];
        foreach ((string? path, string? pattern) in cases)
        {
            EnumerationOptions options = new();
            Type? expected = Record.Exception(() => Directory.EnumerateFiles(path!, pattern!, options).ToList())?.GetType();
            (Record.Exception(() => SluiceFile.EnumerateFiles(path!, pattern!, options).ToList())?.GetType()).ShouldBe(expected,
                $"{path}, {pattern}");
            (Record.Exception(() => SluiceFile.EnumerateFileEntries(path!, pattern!, options).ToList())?.GetType()).ShouldBe(expected,
                $"{path}, {pattern}");
        }
    }

    [Fact]
    public void Paths_are_shown_as_they_were_given()
    {
        string root = MakeTree(5);
        foreach (string shown in (string[])[root, root + "/", Path.GetRelativePath(Environment.CurrentDirectory, root), root + "/sub/.."])
        {
            Sorted(() => SluiceFile.EnumerateFiles(shown, "*", SearchOption.AllDirectories))
                .ShouldBe(Sorted(() => Directory.EnumerateFiles(shown, "*", SearchOption.AllDirectories)));
            Sorted(() => SluiceFile.EnumerateFiles(shown)).ShouldBe(Sorted(() => Directory.EnumerateFiles(shown)));
        }
    }

    [Fact]
    public void Sizes_and_times_are_those_of_FileInfo()
    {
        string root = MakeTree(7);
        string read = Directory.GetFiles(root, "*", SearchOption.AllDirectories)[0];
        File.SetLastAccessTimeUtc(read, new DateTime(2001, 2, 3, 4, 5, 6, DateTimeKind.Utc));
        foreach (FileEntry entry in SluiceFile.EnumerateFileEntries(root, "*", new EnumerationOptions { RecurseSubdirectories = true }))
        {
            FileInfo info = new(entry.Path);
            entry.ShouldBe(new FileEntry(entry.Path, info.Length, entry.CreationTimeUtc, info.LastWriteTimeUtc, info.LastAccessTimeUtc));

            // .NET takes the older of the times of change and of writing on Linux; the kernel's own is never younger than that.
            entry.CreationTimeUtc.ShouldBeInRange(info.CreationTimeUtc.AddMinutes(-1), info.CreationTimeUtc);
        }
    }

    [Fact]
    public void A_large_flat_folder_and_many_folders_are_complete()
    {
        string flat = Directory.CreateDirectory(_temp.NewPath()).FullName;
        for (int i = 0; i < 700; i++)
        {
            File.WriteAllBytes(Path.Combine(flat, $"file-{i}"), new byte[i % 7]);
        }

        for (int i = 0; i < 100; i++)
        {
            string folder = Directory.CreateDirectory(Path.Combine(flat, $"folder-{i}", "below")).FullName;
            File.WriteAllBytes(Path.Combine(folder, "one"), new byte[3]);
        }

        EnumerationOptions all = new() { RecurseSubdirectories = true };
        string[] expected = Sorted(() => Directory.EnumerateFiles(flat, "*", all));
        expected.Length.ShouldBe(800);
        IEnumerable<string> twice = SluiceFile.EnumerateFiles(flat, "*", all);
        Sorted(() => twice).ShouldBe(expected);
        Sorted(() => twice).ShouldBe(expected);
        SluiceFile.EnumerateFileEntries(flat, "*", all).Sum(static entry => entry.Length)
            .ShouldBe(expected.Sum(static f => new FileInfo(f).Length));
    }

    [Fact]
    public async Task Leaving_closes_every_folder()
    {
        string root = MakeFolders(100, 4);
        SluiceFile.EnumerateFileEntries(root, "*", SearchAll()).Take(30).Count().ShouldBe(30);
        SluiceFile.EnumerateFiles(root, "*", SearchAll()).First().ShouldStartWith(root);
        if (OperatingSystem.IsLinux())
        {
            // A helper may be in the middle of a step, and closes its folder after it.
            for (int i = 0; i < 3000 && OpenFiles.Of(root).Count > 0; i++)
            {
                await Task.Delay(20);
            }

            OpenFiles.Of(root).ShouldBeEmpty();
        }
    }

    private static EnumerationOptions SearchAll() => new() { RecurseSubdirectories = true };

    [Fact]
    public async Task Enumerations_need_no_thread_of_the_pool()
    {
        const int folders = 60;
        const int filesOfEach = 30;
        string root = MakeFolders(folders, filesOfEach);
        (await ChildProcess.RunAsync("enumerate-starved", root, $"{folders * filesOfEach}").WaitAsync(TimeSpan.FromMinutes(2))).ShouldBe(0);
    }

    [Fact]
    public void What_is_made_before_the_enumeration_begins_is_found()
    {
        string root = Directory.CreateDirectory(_temp.NewPath()).FullName;
        EnumerationOptions options = new() { RecurseSubdirectories = true };
        IEnumerable<string> files = SluiceFile.EnumerateFiles(root, "*", options);
        IEnumerable<FileEntry> entries = SluiceFile.EnumerateFileEntries(root, "*", options);
        IEnumerable<string> dotNet = Directory.EnumerateFiles(root, "*", options);
        string late = Path.Combine(root, "late");
        File.WriteAllBytes(late, new byte[5]);

        // What the options say is settled by the call.
        options.AttributesToSkip = FileAttributes.Normal;
        options.RecurseSubdirectories = false;
        dotNet.ShouldBe([late]);
        files.ShouldBe([late]);
        entries.Single().Length.ShouldBe(5);
    }

    [Fact]
    public void A_folder_that_is_removed_meanwhile_ends()
    {
        // Many pieces of what one call to the system gives, which are short in Debug builds.
        const int files = 200;
        foreach (bool recurse in (bool[])[false, true])
        {
            EnumerationOptions options = new() { RecurseSubdirectories = recurse };
            RemovedAfterTheFirst(root => Directory.EnumerateFiles(root, "*", options)).ShouldBeInRange(1, 2 * files);
            RemovedAfterTheFirst(root => SluiceFile.EnumerateFiles(root, "*", options)).ShouldBeInRange(1, 2 * files);
            RemovedAfterTheFirst(root => SluiceFile.EnumerateFileEntries(root, "*", options).Select(e => e.Path))
                .ShouldBeInRange(1, 2 * files);
        }

        int RemovedAfterTheFirst(Func<string, IEnumerable<string>> enumerate)
        {
            string root = MakeFolders(1, files);
            for (int i = 0; i < files; i++)
            {
                File.WriteAllBytes(Path.Combine(root, $"file-with-a-name-of-some-length-{i}"), []);
            }

            int seen = 0;
            foreach (string _ in enumerate(root))
            {
                if (++seen == 1)
                {
                    Directory.Delete(root, recursive: true);
                }
            }

            return seen;
        }
    }

    [SkippableFact]
    public void Enumerations_that_are_forgotten_close_what_they_opened()
    {
        Skip.IfNot(OperatingSystem.IsLinux(), "/proc says what is open");
        string root = MakeFolders(40, 40);
        Forget();
        for (int i = 0; i < 3000 && OpenFiles.Of(root).Count > 0; i++)
        {
            GC.Collect();
            GC.WaitForPendingFinalizers();
            Thread.Sleep(20);
        }

        OpenFiles.Of(root).ShouldBeEmpty();

        void Forget()
        {
            for (int i = 0; i < 20; i++)
            {
                _ = SluiceFile.EnumerateFiles(root, "*", SearchOption.AllDirectories);
                IEnumerator<FileEntry> entries = SluiceFile.EnumerateFileEntries(root, "*", SearchAll()).GetEnumerator();
                for (int k = 0; k <= i * 50; k++)
                {
                    entries.MoveNext().ShouldBeTrue();
                }
            }
        }
    }

    [SkippableFact]
    public void A_closed_folder_is_skipped_or_reported_as_asked()
    {
        Skip.If(OperatingSystem.IsWindows(), "permissions of Unix");
        Skip.If(Environment.IsPrivilegedProcess, "root may read every folder");
        string root = MakeTree(1);
        string closed = Directory.CreateDirectory(Path.Combine(root, "closed")).FullName;
        Trees.Run("chmod", "0", closed);
        EnumerationOptions skips = new() { RecurseSubdirectories = true };
        EnumerationOptions reports = new() { RecurseSubdirectories = true, IgnoreInaccessible = false };
        Sorted(() => SluiceFile.EnumerateFiles(root, "*", skips)).ShouldBe(Sorted(() => Directory.EnumerateFiles(root, "*", skips)));
        Should.Throw<UnauthorizedAccessException>(() => SluiceFile.EnumerateFiles(root, "*", reports).ToList());
        Trees.Run("chmod", "700", closed);
    }

    /// <remarks>
    /// While anything is mounted or unmounted, Linux looks a path up again and goes on counting its links: a path with more than twenty may
    /// be refused although it is right. Such an enumeration is repeated.
    /// </remarks>
    [SkippableFact]
    public void Loops_of_links_end_where_they_do_for_Directory()
    {
        Skip.If(OperatingSystem.IsWindows(), "links need a privilege there");
        string root = Directory.CreateDirectory(_temp.NewPath()).FullName;
        string below = Directory.CreateDirectory(Path.Combine(root, "below")).FullName;
        File.WriteAllBytes(Path.Combine(root, "a.txt"), [1]);
        File.WriteAllBytes(Path.Combine(below, "b.txt"), [2]);
        Directory.CreateSymbolicLink(Path.Combine(root, "loop"), root);
        string[] expected = [];
        string[] actual = [];
        for (int i = 0; i < 20 && (expected.Length <= 80 || !actual.SequenceEqual(expected)); i++)
        {
            expected = Sorted(() => Directory.EnumerateFiles(root, "*.txt", SearchOption.AllDirectories));
            actual = Sorted(() => SluiceFile.EnumerateFiles(root, "*.txt", SearchOption.AllDirectories));
        }

        actual.ShouldBe(expected);
        expected.Length.ShouldBeGreaterThan(80, string.Join(", ", expected));
    }

    [Fact]
    public void A_path_may_be_longer_than_a_stack()
    {
        _ = _temp.NewFile(10);
        string path = _temp.Root + string.Concat(Enumerable.Repeat("/.", 500_000));
        string[] names = [];
        Thread thread = new(() => names = [.. SluiceFile.EnumerateFiles(path)], maxStackSize: 512 * 1024);
        thread.Start();
        thread.Join();
        names.ShouldBe([.. Directory.EnumerateFiles(path)]);
        SluiceFile.EnumerateFileEntries(path).ShouldHaveSingleItem().Length.ShouldBe(10);
    }

    [SkippableFact]
    public void Times_that_no_DateTime_can_be_end_no_enumeration()
    {
        Skip.IfNot(Directory.Exists("/dev/shm"), "no file system whose times have 64 bits");
        using TempFolder memory = new("/dev/shm");
        (string late, string early, string usual) = (memory.NewFile(1), memory.NewFile(2), memory.NewFile(3));
        _ = Trees.Run("touch", "-d", "@9999999999999", late);
        _ = Trees.Run("touch", "-d", "@-9999999999999", early);
        _ = Trees.Run("touch", "-d", "@1000000000", usual);
        Dictionary<long, DateTime> written =
            SluiceFile.EnumerateFileEntries(memory.Root).ToDictionary(static e => e.Length, static e => e.LastWriteTimeUtc);
        written[3].ShouldBe(File.GetLastWriteTimeUtc(usual));
        (written[1], written[2]).ShouldBe((DateTime.MaxValue, DateTime.MinValue));
    }

    private static string[] Sorted(Func<IEnumerable<string>> files)
    {
        try
        {
            return [.. files().Order(StringComparer.Ordinal)];
        }
        catch (Exception e)
        {
            return [e.GetType().Name];
        }
    }

    /// <summary>Folders with files of one byte.</summary>
    private string MakeFolders(int folders, int filesOfEach)
    {
        string root = Directory.CreateDirectory(_temp.NewPath()).FullName;
        for (int i = 0; i < folders; i++)
        {
            string folder = Directory.CreateDirectory(Path.Combine(root, $"{i}")).FullName;
            for (int k = 0; k < filesOfEach; k++)
            {
                File.WriteAllBytes(Path.Combine(folder, $"{k}"), [1]);
            }
        }

        return root;
    }

    private string MakeTree(int seed)
    {
        Random random = new(seed);
        string root = Directory.CreateDirectory(_temp.NewPath()).FullName;
        Fill(root, 0);
        return root;

        void Fill(string folder, int depth)
        {
            foreach (string name in Names.Where(_ => random.Next(3) > 0))
            {
                File.WriteAllBytes(Path.Combine(folder, name), new byte[random.Next(100)]);
            }

            if (random.Next(4) == 0)
            {
                File.CreateSymbolicLink(Path.Combine(folder, "link.txt"), "a.txt");
                File.CreateSymbolicLink(Path.Combine(folder, "broken.txt"), "nowhere");
            }

            if (depth >= 3)
            {
                return;
            }

            foreach (string name in Folders.Where(_ => random.Next(2) > 0))
            {
                Fill(Directory.CreateDirectory(Path.Combine(folder, name)).FullName, depth + 1);
            }

            if (random.Next(5) == 0 && Directory.Exists(Path.Combine(folder, "sub")))
            {
                Directory.CreateSymbolicLink(Path.Combine(folder, "to-sub.txt"), "sub");
            }
        }
    }
}
