using System.Runtime.Versioning;
using Sluice.Copying;
using static Sluice.Tests.Support.Trees;

namespace Sluice.Tests.Files;

/// <summary>The copies of other systems than Linux, run here: what they cannot do they refuse, and no tree is half there.</summary>
[UnsupportedOSPlatform("windows")]
public sealed class PortableCopyTests : IDisposable
{
    private readonly TempFolder _temp = new();

    public void Dispose() => _temp.Dispose();

    [Fact]
    public void What_only_Linux_can_do_is_refused_before_anything_is_done()
    {
        string source = _temp.NewFile(10);
        CopyOptions[] refused =
        [
            new() { Resume = true }, new() { PreserveMetadata = true }, new() { Method = CopyMethod.Direct },
            new() { Method = CopyMethod.Reflink }, new() { Method = CopyMethod.CopyFileRange },
        ];
        foreach (CopyOptions options in refused)
        {
            Should.Throw<PlatformNotSupportedException>(() => Copy(source, _temp.NewPath(), options));
        }

        Directory.GetFileSystemEntries(_temp.Root).ShouldBe([source]);
    }

    [Fact]
    public void Links_are_copied_as_links_and_never_entered()
    {
        string source = MakeTree();
        Directory.CreateSymbolicLink(Path.Combine(source, "below", "round"), "..");
        File.CreateSymbolicLink(Path.Combine(source, "dangling"), "nowhere");
        string target = _temp.NewPath();
        CopyResult result = Copy(source, target, new CopyOptions { Recurse = true, Verify = true, FlushToDisk = true });
        const string format = @"%P|%y|%s|%l\n";
        ShouldBeSame(Listing(target, format), Listing(source, format));
        (result.Files, result.Folders).ShouldBe((4, 2));
        Directory.GetFileSystemEntries(_temp.Root).ShouldBe([source, target], ignoreOrder: true);

        // Again, over what is there.
        _ = Copy(source, target, new CopyOptions { Recurse = true, Overwrite = true });
        ShouldBeSame(Listing(target, format), Listing(source, format));
    }

    /// <summary>A link leads to a file or a folder, or will where it is copied to; a name has no room for more.</summary>
    [Fact]
    public void Links_take_the_place_of_files_and_links_and_never_of_folders()
    {
        string source = MakeTree();
        string target = MakeTree();
        string name = new('n', 250);
        (string Name, string LeadsTo)[] links = [(name, "file"), ("to-folder", "below"), ("here-alone", "elsewhere")];
        foreach ((string link, string leadsTo) in links)
        {
            File.CreateSymbolicLink(Path.Combine(source, link), leadsTo);
            File.WriteAllText(Path.Combine(target, link), "old");
        }

        Directory.CreateDirectory(Path.Combine(target, "elsewhere"));
        CopyOptions options = new() { Recurse = true, Overwrite = true, ContinueOnError = true };
        for (int i = 0; i < 2; i++)
        {
            _ = Copy(source, target, options);
            links.ShouldAllBe(l => new FileInfo(Path.Combine(target, l.Name)).LinkTarget == l.LeadsTo);
            Directory.GetFileSystemEntries(target).Length.ShouldBe(6);
        }

        File.CreateSymbolicLink(Path.Combine(source, "elsewhere"), "file");
        FileBatchException error = Should.Throw<FileBatchException>(() => Copy(source, target, options));
        error.Failures.ShouldHaveSingleItem().Path.ShouldBe(Path.Combine(source, "elsewhere"));
        Directory.GetFileSystemEntries(target).Length.ShouldBe(6);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void A_folder_that_fails_is_one_failure_and_the_others_are_copied_if_it_was_to_go_on(bool continues)
    {
        string source = MakeTree();
        Directory.CreateDirectory(Path.Combine(source, "aside", "in"));
        File.WriteAllBytes(Path.Combine(source, "aside", "in", "third"), Bytes.Pattern(300));
        string target = Directory.CreateDirectory(_temp.NewPath()).FullName;
        File.WriteAllText(Path.Combine(target, "below"), "mine");
        CopyOptions options = new() { Recurse = true, ContinueOnError = continues };
        FileBatchException error = Should.Throw<FileBatchException>(() => Copy(source, target, options));
        error.Failures.ShouldHaveSingleItem().Path.ShouldBe(Path.Combine(source, "below"));
        File.ReadAllText(Path.Combine(target, "below")).ShouldBe("mine");
        if (continues)
        {
            (error.FilesCompleted, error.BytesCompleted).ShouldBe((2, 400));
            File.ReadAllBytes(Path.Combine(target, "aside", "in", "third")).ShouldBeBytes(Bytes.Pattern(300));
        }
    }

    /// <summary>Root may write to it: on a thread that does what another user may.</summary>
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void A_file_that_nobody_may_write_to_is_copied_flushed_and_read_back(bool verifies)
    {
        const UnixFileMode readOnly = UnixFileMode.UserRead | UnixFileMode.GroupRead | UnixFileMode.OtherRead;
        const UnixFileMode all = (UnixFileMode)0x1FF;
        string source = _temp.NewFile(1000);
        File.SetUnixFileMode(source, readOnly);
        string folder = Directory.CreateDirectory(_temp.NewPath()).FullName;
        File.SetUnixFileMode(folder, all);
        string target = Path.Combine(folder, "copy");
        CopyOptions options = new() { Verify = verifies, FlushToDisk = !verifies };

        // What is loaded by then needs not be read by the other user.
        _ = Copy(source, _temp.NewPath(), options);
        Exception? error = null;
        Thread other = new(() =>
        {
            if (Environment.IsPrivilegedProcess)
            {
                Native.UseFilesAsNobody();
            }

            error = Record.Exception(() => Copy(source, target, options));
        });
        other.Start();
        other.Join();
        error.ShouldBeNull();
        File.ReadAllBytes(target).ShouldBeBytes(Bytes.Pattern(1000));
        File.GetUnixFileMode(target).ShouldBe(readOnly);
        Directory.GetFileSystemEntries(folder).ShouldBe([target]);
    }

    /// <summary>The source becomes another one between the copy of its bytes and the look at them.</summary>
    [Fact]
    public void A_copy_that_is_not_what_the_source_holds_is_none()
    {
        string source = _temp.NewFile(Bytes.Pattern(10_000));
        string target = _temp.NewFile(Bytes.Pattern(20));
        using (IoEngine.UseForCurrentContext(new FirstSubmission(() => File.WriteAllBytes(source, Bytes.Pattern(10_000, start: 1)))))
        {
            CopyOptions options = new() { Verify = true, Overwrite = true };
            Should.Throw<IOException>(() => Copy(source, target, options)).Message.ShouldContain("differs from the source");
        }

        File.ReadAllBytes(target).ShouldBeBytes(Bytes.Pattern(20));
        Directory.GetFileSystemEntries(_temp.Root).Length.ShouldBe(2);
    }

    [Fact]
    public void A_tree_is_not_copied_into_itself_and_a_copy_has_the_permissions_that_are_asked_for()
    {
        string source = MakeTree();
        CopyOptions options = new() { Recurse = true, UnixCreateMode = UnixFileMode.UserRead | UnixFileMode.UserExecute };
        Should.Throw<IOException>(() => Copy(source, Path.Combine(source, "in"), options)).Message.ShouldContain("inside");
        Should.Throw<IOException>(() => Copy(source, source, options)).Message.ShouldContain("inside");
        string target = _temp.NewPath();
        _ = Copy(source, target, options);
        File.GetUnixFileMode(Path.Combine(target, "file")).ShouldBe(UnixFileMode.UserRead | UnixFileMode.UserExecute);
        File.ReadAllBytes(Path.Combine(target, "file")).ShouldBeBytes(Bytes.Pattern(100));
    }

    private static CopyResult Copy(string source, string target, CopyOptions options) =>
        PortableCopier.Copy(source, target, options, new CopyMeter(null), CancellationToken.None);

    private string MakeTree()
    {
        string folder = Directory.CreateDirectory(_temp.NewPath()).FullName;
        File.WriteAllBytes(Path.Combine(folder, "file"), Bytes.Pattern(100));
        File.WriteAllBytes(Path.Combine(Directory.CreateDirectory(Path.Combine(folder, "below")).FullName, "other"), Bytes.Pattern(200));
        return folder;
    }

    /// <summary>Calls something before the first of all submissions.</summary>
    private sealed class FirstSubmission(Action call) : InterceptingEngine
    {
        private int _count;

        public override string Name => "first";

        protected override Interception OnSubmit(in IoSubmission submission)
        {
            if (Interlocked.Increment(ref _count) == 1)
            {
                call();
            }

            return Interception.PassOn;
        }
    }
}
