using Sluice.Uring;

namespace Sluice.Hostile.Tests.Seams;

/// <summary>
/// A file system may take two names of the source for one, as vfat and SMB do with "a" and "A". Here the first of them comes into the copy
/// of a new tree right before the second is made, whose name it has: it stays, and the second is an error.
/// </summary>
public sealed class FoldedNameSeamTests : HostileTests
{
    [LinuxTheory]
    [InlineData("file")]
    [InlineData("link")]
    [InlineData("link that is the same")]
    [InlineData("names")]
    [InlineData("names that are the same")]
    [InlineData("folder")]
    public async Task What_has_just_been_made_stays(string kind)
    {
        string source = Directory.CreateDirectory(Temp.NewPath()).FullName;
        string node = Path.Combine(source, "name");
        bool isSame = kind.EndsWith("same", StringComparison.Ordinal);
        string word = kind.Split(' ')[0];
        DateTime time = new(2001, 2, 3, 4, 5, 6, DateTimeKind.Utc);
        switch (word)
        {
            case "folder":
                File.WriteAllText(Path.Combine(Directory.CreateDirectory(node).FullName, "inside"), "second");
                break;
            case "link":
                File.CreateSymbolicLink(node, isSame ? "first" : "second");
                break;
            default:
                File.WriteAllText(node, "other");
                File.SetLastWriteTimeUtc(node, time);
                break;
        }

        if (word == "names")
        {
            Native.Link(node, Path.Combine(source, "more"));
        }

        string[] names = word == "names" ? ["name", "more"] : ["name"];
        string call = word switch { "folder" => "mkdirat", "link" => "symlinkat", _ => "openat" };
        string target = Temp.NewPath();
        int reads = 0;
        int strikes = 0;
        SystemCallFaults.Use((made, fd, _) =>
        {
            string folder = OpenFiles.NameOf(fd);
            reads += made == "getdents64" && folder == source ? 1 : 0;
            if (made == call && reads > 0 && folder == target
                && Interlocked.Exchange(ref strikes, 1) == 0)
            {
                Array.ForEach(names, name => MakeFirst(word, Path.Combine(folder, name), time));
            }

            return 0;
        });
        CopyOptions options = new()
        {
            Recurse = true,
            ContinueOnError = true,
            PreserveMetadata = word == "names",
            SkipUnchanged = isSame,
            Overwrite = !isSame,
        };
        FileBatchException error = await Should.ThrowAsync<FileBatchException>(() => SluiceFile.CopyAsync(source, target, options));
        SystemCallFaults.Use(null);
        strikes.ShouldBe(1);
        error.Failures.Select(f => Path.GetFileName(f.Path)).ShouldBe(names, ignoreOrder: true);
        foreach (string name in names)
        {
            string path = Path.Combine(target, name);
            switch (word)
            {
                case "folder":
                    Directory.GetFileSystemEntries(path).ShouldBe([Path.Combine(path, "first")]);
                    break;
                case "link":
                    new FileInfo(path).LinkTarget.ShouldBe("first");
                    break;
                default:
                    File.ReadAllText(path).ShouldBe("first");
                    break;
            }
        }
    }

    private static void MakeFirst(string word, string path, DateTime time)
    {
        switch (word)
        {
            case "folder":
                File.WriteAllText(Path.Combine(Directory.CreateDirectory(path).FullName, "first"), "first");
                break;
            case "link":
                File.CreateSymbolicLink(path, "first");
                break;
            default:
                // As long as the second, and of its time.
                File.WriteAllText(path, "first");
                File.SetLastWriteTimeUtc(path, time);
                break;
        }
    }
}
