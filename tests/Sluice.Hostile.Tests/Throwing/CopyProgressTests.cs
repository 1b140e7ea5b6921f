namespace Sluice.Hostile.Tests.Throwing;

/// <summary>A progress of a copy that throws: the target is the old one or the new one, whole, and nothing is left beside it.</summary>
public sealed class CopyProgressTests : HostileTests
{
    private static readonly byte[] Content = Bytes.Pattern(700_000);
    private static readonly byte[] Old = Bytes.Pattern(5000, 9);

    [Theory]
    [InlineData(CopyMethod.Buffered, false)]
    [InlineData(CopyMethod.CopyFileRange, true)]
    [InlineData(CopyMethod.Direct, true)]
    [InlineData(CopyMethod.Direct, false)]
    public Task One_file(CopyMethod method, bool overwrite) => EveryCallAsync(async countdown =>
    {
        string source = Temp.NewFile(Content);
        string target = overwrite ? Temp.NewFile(Old) : Temp.NewPath();
        CopyOptions options = new()
        {
            Method = method,
            Overwrite = overwrite,
            Verify = true,
            Progress = new HostileProgress<CopyProgress>(countdown),
        };
        bool isCopied = await countdown.TryAsync(() => SluiceFile.CopyAsync(source, target, options));
        File.ReadAllBytes(source).ShouldBeBytes(Content);
        byte[]? found = File.Exists(target) ? File.ReadAllBytes(target) : null;
        if (isCopied || (found is not null && !found.AsSpan().SequenceEqual(Old)))
        {
            found!.ShouldBeBytes(Content);
        }
        else
        {
            (found is not null).ShouldBe(overwrite, "the old file is gone, or a new one is there that is not whole");
        }

        Directory.GetFileSystemEntries(Temp.Root, ".*").ShouldBeEmpty("a temporary file was left");
        File.Delete(target);
        File.Delete(source);
    });

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public Task A_tree(bool continues) => EveryCallAsync(async countdown =>
    {
        string source = Temp.NewPath();
        for (int i = 0; i < 3; i++)
        {
            string folder = Directory.CreateDirectory(Path.Combine(source, $"folder {i}")).FullName;
            File.WriteAllBytes(Path.Combine(folder, "a"), Content.AsSpan(0, 1000 * i));
            File.WriteAllBytes(Path.Combine(folder, "b"), Content.AsSpan(0, 70_000));
        }

        string target = Temp.NewPath();
        CopyOptions options = new()
        {
            Recurse = true,
            ContinueOnError = continues,
            Progress = new HostileProgress<CopyProgress>(countdown),
        };
        bool isCopied = await countdown.TryAsync(() => SluiceFile.CopyAsync(source, target, options));
        if (isCopied)
        {
            Names(target).ShouldBe(Names(source));
        }

        foreach (string name in isCopied ? Names(source) : Directory.Exists(target) ? Names(target) : [])
        {
            File.ReadAllBytes(Path.Combine(target, name)).ShouldBeBytes(File.ReadAllBytes(Path.Combine(source, name)), name);
        }

        (isCopied || countdown.HasThrown).ShouldBeTrue();
        Directory.GetFileSystemEntries(Temp.Root, ".*").ShouldBeEmpty("a temporary folder was left");

        static string[] Names(string root) =>
        [
            .. Directory.GetFiles(root, "*", SearchOption.AllDirectories)
                .Select(f => Path.GetRelativePath(root, f)).Order(StringComparer.Ordinal),
        ];
    });
}
