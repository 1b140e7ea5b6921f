using Shouldly;
using Sluice.Faults.Child.Conformance;
using Sluice.Faults.Child.Support;

namespace Sluice.Faults.Tests.SystemCalls;

/// <summary>Whole files, many small files, replacement, copies of files and trees, folders.</summary>
[System.Runtime.Versioning.SupportedOSPlatform("linux")]
internal static class FileScenarios
{
    private const UnixFileMode OldMode = UnixFileMode.UserRead | UnixFileMode.UserWrite | UnixFileMode.GroupRead;

    private static readonly byte[] Old = Pattern.Bytes(4, 9_000);
    private static readonly byte[] New = Pattern.Bytes(5, 1_300_001);

    /// <summary>
    /// What is copied: two pieces in Debug builds (256 KiB), blocks of each (64 and 16 KiB), and parts of one. More would only repeat them,
    /// and each block costs a run for each answer of each of its calls.
    /// </summary>
    private static readonly byte[] Copied = Pattern.Bytes(5, 300_001);
    private static readonly string Text = string.Join('\n', Enumerable.Range(0, 4000).Select(static i => $"line {i} \u00e9"));
    private static readonly string[] Small = ["empty", "little", "a/page", "a/more", "b/large"];

    private static readonly EnumerationOptions Everything = new() { RecurseSubdirectories = true, IgnoreInaccessible = false };
    private static readonly int[] Lengths = [0, 10, 4096, 30_000, 300_000];

    private static readonly string[] Names =
        ["source", "target", "tree", "copy", "a", "b", "empty", "little", "page", "more", "large", "link", "hard", "none"];

    public static IEnumerable<CallScenario> All()
    {
        yield return Of("ReadAllBytesAsync", async f => FileModel.ShouldMatch(await SluiceFile.ReadAllBytesAsync(Source(f)), New, "bytes"));
        yield return Of("ReadAllText", static f => Run(() => SluiceFile.ReadAllText(Source(f)).ShouldBe(Text)), PrepareText);
        yield return Of("ReadAllTextAsync", static async f => (await SluiceFile.ReadAllTextAsync(Source(f))).ShouldBe(Text), PrepareText);
        yield return Of("WriteAllBytesAsync", async f =>
        {
            await SluiceFile.WriteAllBytesAsync(Target(f), New);
            FileModel.ShouldMatch(await File.ReadAllBytesAsync(Target(f)), New, "bytes");
        });
        yield return Of("AppendAllBytesAsync", async f =>
        {
            await SluiceFile.AppendAllBytesAsync(Target(f), New);
            FileModel.ShouldMatch(await File.ReadAllBytesAsync(Target(f)), [.. Old, .. New], "bytes");
        });
        yield return Of("WriteAllTextAsync", static async f =>
        {
            await SluiceFile.WriteAllTextAsync(Target(f), Text);
            (await File.ReadAllTextAsync(Target(f))).ShouldBe(Text);
        });
        yield return Of("ReadManyAsync", ReadManyAsync, PrepareTree);
        yield return Of("WriteManyAsync", WriteManyAsync, PrepareTree);
        yield return Of("EnumerateFiles", static f => Run(() => Enumerate(f).ShouldBe(7)), PrepareTree);
        yield return Of("EnumerateFileEntries", static f => Run(() => EnumerateEntries(f)), PrepareTree);
        foreach (bool isNew in (bool[])[true, false])
        {
            string what = isNew ? "new" : "existing";
            yield return Replacing($"ReplaceAtomically {what}", isNew, static f => Run(() => SluiceFile.ReplaceAtomically(Target(f), New)));
            yield return Replacing($"ReplaceAtomicallyAsync {what}", isNew, static f => SluiceFile.ReplaceAtomicallyAsync(Target(f), New));
            foreach (CopyMethod method in Enum.GetValues<CopyMethod>().Except([CopyMethod.Reflink]))
            {
                CopyOptions plain = new() { Method = method, Overwrite = !isNew, Depth = 2 };
                CopyOptions durable = new()
                {
                    Method = method,
                    Overwrite = !isNew,
                    FlushToDisk = true,
                    PreserveMetadata = true,
                    Verify = true,
                    Depth = 2,
                };
                // Pairs of method and target: a new one is copied plainly, an existing one durably; Auto does all four.
                if (isNew || method == CopyMethod.Auto)
                {
                    yield return Copying($"CopyAsync {method} {what}", isNew, plain);
                }

                if (!isNew || method == CopyMethod.Auto)
                {
                    yield return Copying($"CopyAsync {method} {what} durable", isNew, durable) with { MustCall = ["sync", "sync"] };
                }
            }
        }

        yield return Tree("CopyAsync tree", new CopyOptions { Recurse = true });
        yield return Tree("CopyAsync tree -p", new CopyOptions { Recurse = true, PreserveMetadata = true, FlushToDisk = true }) with
        {
            MustCall = ["sync"],
        };
    }

    private static string Source(string folder) => Path.Combine(folder, "source");

    private static string Target(string folder) => Path.Combine(folder, "target");

    private static CallScenario Of(string name, Func<string, Task> run, Action<string>? prepare = null) => new(name, run)
    {
        Prepare = prepare ?? PreparePair,
        Leaves = Names,
    };

    private static void PreparePair(string folder)
    {
        File.WriteAllBytes(Source(folder), New);
        File.WriteAllBytes(Target(folder), Old);
        File.SetUnixFileMode(Target(folder), OldMode);
    }

    private static void PrepareText(string folder) => File.WriteAllText(Source(folder), Text);

    private static void PrepareTree(string folder)
    {
        string tree = Path.Combine(folder, "tree");
        Directory.CreateDirectory(Path.Combine(tree, "a"));
        Directory.CreateDirectory(Path.Combine(tree, "b", "none"));
        for (int i = 0; i < Small.Length; i++)
        {
            File.WriteAllBytes(Path.Combine(tree, Small[i]), ContentOf(i));
        }

        File.CreateSymbolicLink(Path.Combine(tree, "a", "link"), "../little");
        _ = SluiceFile.CreateHardLink(Path.Combine(tree, "b", "hard"), Path.Combine(tree, "little"));
    }

    private static byte[] ContentOf(int i) => Pattern.Bytes(10 + i, Lengths[i]);

    private static CallScenario Replacing(string name, bool isNew, Func<string, Task> replace) => Of(
        name,
        async folder =>
        {
            await replace(folder);
            FileModel.ShouldMatch(await File.ReadAllBytesAsync(Target(folder)), New, name);
            if (!isNew)
            {
                File.GetUnixFileMode(Target(folder)).ShouldBe(OldMode);
            }
        },
        folder => PrepareTarget(folder, isNew)) with
    {
        MustCall = ["sync", "sync"],
        AfterFailure = folder => ShouldBeOldOrNew(folder, isNew, New),
    };

    private static CallScenario Copying(string name, bool isNew, CopyOptions options) => Of(
        name,
        async folder =>
        {
            CopyResult result = await SluiceFile.CopyAsync(Source(folder), Target(folder), options);
            result.Bytes.ShouldBe(Copied.Length);
            FileModel.ShouldMatch(await File.ReadAllBytesAsync(Target(folder)), Copied, name);
        },
        folder =>
        {
            PrepareTarget(folder, isNew);
            File.WriteAllBytes(Source(folder), Copied);
        }) with
    {
        AfterFailure = folder => ShouldBeOldOrNew(folder, isNew, Copied),
    };

    private static void PrepareTarget(string folder, bool isNew)
    {
        PreparePair(folder);
        if (isNew)
        {
            File.Delete(Target(folder));
        }
    }

    private static void ShouldBeOldOrNew(string folder, bool isNew, byte[] fresh)
    {
        byte[]? now = File.Exists(Target(folder)) ? File.ReadAllBytes(Target(folder)) : null;
        bool isOld = isNew ? now is null : now is not null && now.AsSpan().SequenceEqual(Old);
        (isOld || (now is not null && now.AsSpan().SequenceEqual(fresh))).ShouldBeTrue("the target is neither old nor new");
    }

    private static CallScenario Tree(string name, CopyOptions options) => Of(
        name,
        async folder =>
        {
            string copy = Path.Combine(folder, "copy");
            CopyResult result = await SluiceFile.CopyAsync(Path.Combine(folder, "tree"), copy, options);
            result.Files.ShouldBe(7);
            for (int i = 0; i < Small.Length; i++)
            {
                FileModel.ShouldMatch(await File.ReadAllBytesAsync(Path.Combine(copy, Small[i])), ContentOf(i), Small[i]);
            }

            File.ResolveLinkTarget(Path.Combine(copy, "a", "link"), returnFinalTarget: false)!.Name.ShouldBe("little");
            FileModel.ShouldMatch(await File.ReadAllBytesAsync(Path.Combine(copy, "b", "hard")), ContentOf(1), "hard");
            Directory.Exists(Path.Combine(copy, "b", "none")).ShouldBeTrue();
        },
        PrepareTree) with
    {
        MaxKinds = 2,
        AfterFailure = static folder =>
        {
            for (int i = 0; i < Small.Length; i++)
            {
                string copied = Path.Combine(folder, "copy", Small[i]);
                if (File.Exists(copied))
                {
                    FileModel.ShouldMatch(File.ReadAllBytes(copied), ContentOf(i), Small[i]);
                }
            }
        },
    };

    private static async Task ReadManyAsync(string folder)
    {
        int i = 0;
        await foreach (FileReadResult result in SluiceFile.ReadManyAsync(Small.Select(name => Path.Combine(folder, "tree", name))))
        {
            FileModel.ShouldMatch(result.GetContent(), ContentOf(i), Small[i]);
            i++;
        }

        i.ShouldBe(Small.Length);
    }

    private static async Task WriteManyAsync(string folder)
    {
        await SluiceFile.WriteManyAsync(
            Small.Select((name, i) => (Path.Combine(folder, "tree", name), (ReadOnlyMemory<byte>)ContentOf(Small.Length - 1 - i))));
        for (int i = 0; i < Small.Length; i++)
        {
            byte[] written = await File.ReadAllBytesAsync(Path.Combine(folder, "tree", Small[i]));
            FileModel.ShouldMatch(written, ContentOf(Small.Length - 1 - i), Small[i]);
        }
    }

    private static int Enumerate(string folder) =>
        SluiceFile.EnumerateFiles(Path.Combine(folder, "tree"), "*", Everything).Count();

    private static void EnumerateEntries(string folder) =>
        SluiceFile.EnumerateFileEntries(Path.Combine(folder, "tree"), "*", Everything)
            .Select(static e => e.Length).Order().ShouldBe([0, 9, 10, 10, 4096, 30_000, 300_000]);

    private static Task Run(Action act)
    {
        act();
        return Task.CompletedTask;
    }
}
