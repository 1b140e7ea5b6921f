using System.Runtime.Versioning;
using static Sluice.Tests.Support.Trees;

namespace Sluice.Tests.Files;

/// <summary>Several processes copy one tree; here they are calls, in the tests of the tool processes.</summary>
[Trait("Tier", "slow")]
[UnsupportedOSPlatform("windows")]
public sealed class ShardedCopyTests : IDisposable
{
    private static readonly DateTime Then = new(2020, 2, 2, 2, 2, 2, DateTimeKind.Utc);

    private readonly TempFolder _temp = new();

    public ShardedCopyTests() => Skip.IfNot(OperatingSystem.IsLinux(), "copies in shards are Linux's");

    public void Dispose()
    {
        // Names that are no text are beyond .NET.
        Run("sh", "-c", "rm -rf \"$0\"/*", _temp.Root);
        _temp.Dispose();
    }

    [SkippableTheory]
    [InlineData(1, false)]
    [InlineData(20, true)]
    public async Task All_shards_and_a_copy_of_the_rest_make_what_a_copy_makes(int count, bool preserves)
    {
        string source = MakeTree();
        (string expected, string actual) = (_temp.NewPath(), _temp.NewPath());
        CopyResult all = await SluiceFile.CopyAsync(source, expected, new CopyOptions { Recurse = true, PreserveMetadata = preserves });
        int files = 0;
        int folders = 0;
        for (int index = 0; index < count; index++)
        {
            CopyResult part = await SluiceFile.CopyAsync(source, actual, Part(index, count, preserves));
            part.UnchangedFiles.ShouldBe(0);
            files += part.Files;
            folders += part.Folders;
        }

        CopyResult rest = await SluiceFile.CopyAsync(source, actual, Rest(preserves));
        (files + rest.Files, folders, rest.Folders).ShouldBe((all.Files, all.Folders, all.Folders));
        rest.UnchangedFiles.ShouldBe(files);
        ShouldBeAlike(actual, expected, preserves);
    }

    /// <summary>Whatever the first run has come to, the second one makes what is missing and no more.</summary>
    [SkippableTheory]
    [InlineData(1)]
    [InlineData(60)]
    public async Task A_shard_that_was_ended_is_run_again(int end)
    {
        string source = MakeTree();
        (string expected, string actual) = (_temp.NewPath(), _temp.NewPath());
        await SluiceFile.CopyAsync(source, expected, new CopyOptions { Recurse = true, PreserveMetadata = true });
        using CancellationTokenSource stop = new();
        int entries = 0;
        CopyOptions first = new()
        {
            Recurse = true,
            Shard = new Shard(0, 2),
            PreserveMetadata = true,
            Exclude = _ =>
            {
                if (++entries == end)
                {
                    stop.Cancel();
                }

                return false;
            },
        };
        await Should.ThrowAsync<OperationCanceledException>(() => SluiceFile.CopyAsync(source, actual, first, stop.Token));
        int there = Listing(actual, "%y\n").Count(static t => t != "d");
        CopyOptions again = new() { Recurse = true, Shard = new Shard(0, 2), PreserveMetadata = true, SkipUnchanged = true };
        (await SluiceFile.CopyAsync(source, actual, again)).UnchangedFiles.ShouldBe(there);
        await SluiceFile.CopyAsync(source, actual, Part(1, 2, preserves: true));
        await SluiceFile.CopyAsync(source, actual, Rest(preserves: true));
        ShouldBeAlike(actual, expected, preserves: true);
    }

    [SkippableFact]
    public async Task What_makes_no_sense_is_refused_and_changes_nothing()
    {
        string source = MakeTree();
        string file = _temp.NewFile(100);
        string link = _temp.NewPath();
        File.CreateSymbolicLink(link, source);
        string[] before = Listing(source, Everything);
        await Should.ThrowAsync<IOException>(() => SluiceFile.CopyAsync(file, _temp.NewPath(), Part(0, 2)));
        await Should.ThrowAsync<IOException>(() => SluiceFile.CopyAsync(link, _temp.NewPath(), Part(0, 2)));
        await Should.ThrowAsync<DirectoryNotFoundException>(() => SluiceFile.CopyAsync(_temp.NewPath(), _temp.NewPath(), Part(0, 2)));
        await Should.ThrowAsync<IOException>(() => SluiceFile.CopyAsync(source, source, Part(0, 2)));
        await Should.ThrowAsync<IOException>(() => SluiceFile.CopyAsync(source, Path.Combine(source, "inside"), Part(0, 2)));
        await Should.ThrowAsync<IOException>(() => SluiceFile.CopyAsync(source, file, Part(0, 2)));
        await Should.ThrowAsync<IOException>(() => SluiceFile.CopyAsync(source, link, Part(0, 2)));
        Listing(source, Everything).ShouldBe(before);
    }

    /// <summary>Other shards have still to write to a folder that its owner may not write to; the copy of the rest shuts it.</summary>
    [SkippableTheory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task A_folder_that_is_shut_is_open_to_the_shards(bool preserves)
    {
        const UnixFileMode shut = UnixFileMode.UserRead | UnixFileMode.UserExecute;
        const UnixFileMode open = shut | UnixFileMode.UserWrite;
        string source = Directory.CreateDirectory(_temp.NewPath()).FullName;
        string inside = Directory.CreateDirectory(Path.Combine(source, "shut")).FullName;
        Write(Path.Combine(inside, "file"), "inside");
        File.SetUnixFileMode(inside, shut);
        string target = _temp.NewPath();
        string made = Path.Combine(target, "shut");
        for (int i = 0; i < 2; i++)
        {
            await SluiceFile.CopyAsync(source, target, Part(i, 2, preserves));
            (File.GetUnixFileMode(made) & open).ShouldBe(open);
        }

        await SluiceFile.CopyAsync(source, target, Rest(preserves));
        File.GetUnixFileMode(made).ShouldBe(preserves ? shut : open);
        Run("chmod", "-R", "u+w", source, target);
    }

    private static CopyOptions Part(int index, int count, bool preserves = false) => new()
    {
        Recurse = true,
        Shard = new Shard(index, count),
        PreserveMetadata = preserves,
    };

    private static CopyOptions Rest(bool preserves) => new()
    {
        Recurse = true,
        PreserveMetadata = preserves,
        SkipUnchanged = true,
        Overwrite = true,
    };

    private static void Write(string path, string text)
    {
        File.WriteAllText(path, text);
        File.SetLastWriteTimeUtc(path, Then);
    }

    private static void ShouldBeAlike(string actual, string expected, bool preserves)
    {
        // Without -p folders have their own times, and names of one file become files of their own.
        string format = preserves ? Everything : @"%P|%y|%m|%U|%G|%l\n";
        ShouldBeSame(Listing(actual, format), Listing(expected, format));
        Sums(actual).ShouldBe(Sums(expected));
    }

    // Not those of FIFOs, which end when somebody writes.
    private static string Sums(string root) =>
        Run("sh", "-c", "cd \"$0\" && find . -type f -exec sha256sum {} + | sort", root);

    /// <summary>Files of all sizes, links, FIFOs, odd names, holes, modes, times, names of one file.</summary>
    private string MakeTree()
    {
        string root = Directory.CreateDirectory(_temp.NewPath()).FullName;
        string deep = Directory.CreateDirectory(Path.Combine(root, "deep", "er", "and er")).FullName;
        Directory.CreateDirectory(Path.Combine(root, "empty"));
        int[] sizes = [0, 1, 100, 4096, 9000, 70_000, 300_000];
        for (int i = 0; i < 60; i++)
        {
            string path = Path.Combine(i % 3 == 0 ? deep : root, $"f{i}");
            File.WriteAllBytes(path, Bytes.Pattern(sizes[i % sizes.Length], i));
            File.SetUnixFileMode(path, i % 2 == 0 ? UnixFileMode.UserRead : UnixFileMode.UserRead | UnixFileMode.UserWrite);
            File.SetLastWriteTimeUtc(path, Then.AddMinutes(i));
        }

        Native.Link(Path.Combine(root, "f1"), Path.Combine(deep, "name of f1"));
        Native.Link(Path.Combine(root, "f1"), Path.Combine(root, "name of f1"));
        Native.MakeFifo(Path.Combine(root, "fifo"));
        File.CreateSymbolicLink(Path.Combine(root, "link"), "f1");
        File.CreateSymbolicLink(Path.Combine(deep, "dangling"), "nowhere/at all");
        const string odd =
            "cd \"$0\" && printf odd > \"$(printf 'a\\nb')\" && printf odd > \"$(printf '\\377\\376')\" && : > -n && : > ' '";
        Run("sh", "-c", odd, deep);
        using (FileStream holes = new(Path.Combine(root, "holes"), FileMode.CreateNew))
        {
            holes.SetLength(3 << 20);
            holes.Position = 1 << 20;
            holes.Write(Bytes.Pattern(5000));
        }

        File.SetUnixFileMode(Path.Combine(root, "deep"), (UnixFileMode)0x1ED);
        File.SetLastWriteTimeUtc(deep, Then);
        File.SetLastWriteTimeUtc(root, Then);
        return root;
    }
}
