namespace Sluice.Hostile.Tests.Ending;

/// <summary>
/// Batches, copies and replacements that are cancelled from another thread at each of their steps: all, or what was promised of a part.
/// </summary>
[Trait("Tier", "nightly")]
public sealed class FileEndingTests : HostileTests
{
    private static readonly byte[] Content = Bytes.Pattern(300_000);

    [Fact]
    public Task Read_many() => EveryStepAsync(async steps =>
    {
        (string Path, byte[] Content)[] files =
            [.. Enumerable.Range(0, 12).Select(i => Bytes.Pattern(i == 7 ? 300_000 : 1000 * i, i)).Select(c => (Temp.NewFile(c), c))];
        Intruder intruder = new(Temp);
        int read = 0;
        await CancelledAsync(steps, intruder, async token =>
        {
            FileBatchOptions options = new() { MaxDegreeOfParallelism = 2, ContinueOnError = true };
            await foreach (FileReadResult result in SluiceFile.ReadManyAsync(files.Select(f => f.Path), options, token))
            {
                result.GetContent().ShouldBeBytes(files[read].Content);
                read++;
            }

            read.ShouldBe(files.Length, "a false end");
        });
        Array.ForEach(files, f => File.Delete(f.Path));
    });

    [Fact]
    public Task Write_many() => EveryStepAsync(async steps =>
    {
        (string Path, ReadOnlyMemory<byte> Bytes)[] files =
            [.. Enumerable.Range(0, 12).Select(i => (Temp.NewPath(), (ReadOnlyMemory<byte>)Bytes.Pattern(1000 * i, i)))];
        Intruder intruder = new(Temp);
        bool isWhole = await CancelledAsync(
            steps, intruder, token => SluiceFile.WriteManyAsync(files, new FileBatchOptions { MaxDegreeOfParallelism = 2 }, token));
        foreach ((string path, ReadOnlyMemory<byte> bytes) in files)
        {
            // Cancelled between files, never within one.
            (File.Exists(path) || !isWhole).ShouldBeTrue();
            if (File.Exists(path))
            {
                File.ReadAllBytes(path).ShouldBeBytes(bytes.Span);
                File.Delete(path);
            }
        }
    });

    [Theory]
    [InlineData(CopyMethod.Auto, true)]
    [InlineData(CopyMethod.Direct, true)]
    [InlineData(CopyMethod.Buffered, false)]
    public Task Copy(CopyMethod method, bool overwrite) => EveryStepAsync(async steps =>
    {
        string source = Temp.NewFile(Content);
        string target = overwrite ? Temp.NewFile("old"u8) : Temp.NewPath();
        // To verify a copy is the same work, whichever way it was made.
        CopyOptions options = new() { Method = method, Overwrite = overwrite, Verify = method == CopyMethod.Auto, FlushToDisk = true };
        Intruder intruder = new(Temp);
        bool isWhole = await CancelledAsync(steps, intruder, token => SluiceFile.CopyAsync(source, target, options, token));
        if (File.Exists(target))
        {
            byte[] found = File.ReadAllBytes(target);
            found.ShouldBeBytes(isWhole || found.Length != 3 || !overwrite ? Content : "old"u8);
        }

        (File.Exists(target) || (!isWhole && !overwrite)).ShouldBeTrue("the target is gone");
        Directory.GetFileSystemEntries(Temp.Root, ".*").ShouldBeEmpty("a temporary file was left");
        File.Delete(source);
        File.Delete(target);
    });

    [Fact]
    public Task Copy_of_a_tree() => EveryStepAsync(async steps =>
    {
        string source = Temp.NewPath();
        for (int i = 0; i < 2; i++)
        {
            string folder = Directory.CreateDirectory(Path.Combine(source, $"folder {i}")).FullName;
            File.WriteAllBytes(Path.Combine(folder, "a"), Content.AsSpan(0, 1000 * i));
            File.WriteAllBytes(Path.Combine(folder, "b"), Content.AsSpan(0, 20_000));
        }

        string target = Temp.NewPath();
        Intruder intruder = new(Temp);
        bool isWhole = await CancelledAsync(
            steps, intruder, token => SluiceFile.CopyAsync(source, target, new CopyOptions { Recurse = true }, token));

        foreach (string file in Directory.GetFiles(source, "*", SearchOption.AllDirectories))
        {
            string copied = Path.Combine(target, Path.GetRelativePath(source, file));
            (File.Exists(copied) || !isWhole).ShouldBeTrue(copied);
            if (File.Exists(copied))
            {
                File.ReadAllBytes(copied).ShouldBeBytes(File.ReadAllBytes(file));
            }
        }

        Directory.GetFileSystemEntries(Temp.Root, ".*").ShouldBeEmpty("a temporary name was left");
    });

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public Task Replace(bool isDisposed) => EveryStepAsync(async steps =>
    {
        string path = Temp.NewFile("old"u8);
        Intruder intruder = new(Temp);
        SluiceHandle? lent = null;
        bool isWhole;
        if (isDisposed)
        {
            // Whoever writes the content closes the handle that was lent, from another thread.
            isWhole = await CancelledAsync(
                steps,
                intruder,
                token => SluiceFile.ReplaceAtomicallyAsync(
                    path,
                    async (handle, _) =>
                    {
                        lent = handle;
                        await handle.WriteAsync(Content, 0, CancellationToken.None);
                    },
                    token),
                () => lent?.Dispose());
        }
        else
        {
            isWhole = await CancelledAsync(steps, intruder, token => SluiceFile.ReplaceAtomicallyAsync(path, Content, token));
        }

        byte[] found = File.ReadAllBytes(path);
        found.ShouldBeBytes(isWhole || found.Length != 3 ? Content : "old"u8);
        Directory.GetFileSystemEntries(Temp.Root, ".*").ShouldBeEmpty("a temporary file was left");
        File.Delete(path);
    });

    /// <summary>True when it was done, false when it was cancelled; any other end fails.</summary>
    private static async Task<bool> CancelledAsync(
        Steps steps, Intruder intruder, Func<CancellationToken, Task> work, Action? action = null)
    {
        using CancellationTokenSource source = new();
        steps.Begin(() =>
        {
            (action ?? source.Cancel)();
            intruder.Come();
        });
        bool isDone = false;
        try
        {
            await work(source.Token);
            isDone = true;
        }
        catch (OperationCanceledException e) when (action is null && source.IsCancellationRequested)
        {
            e.CancellationToken.ShouldBe(source.Token);
        }
        catch (ObjectDisposedException) when (action is not null && steps.HasStruck)
        {
        }

        await steps.EndAsync();
        intruder.Check();
        return isDone;
    }
}
