namespace Sluice.Hostile.Tests.Throwing;

/// <summary>
/// Delegates of the caller's own: what writes a replacement's content, what is told of the end of Begin calls, what a token calls.
/// </summary>
public sealed class CallbackTests : HostileTests
{
    private static readonly byte[] Content = Bytes.Pattern(30_000);

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public Task Content_of_a_replacement(bool isAsync) => EveryCallAsync(async countdown =>
    {
        string path = Temp.NewFile("old"u8);
        SluiceHandle? lent = null;
        bool isReplaced = await countdown.TryAsync(async () =>
        {
            if (isAsync)
            {
                await SluiceFile.ReplaceAtomicallyAsync(path, async (handle, token) =>
                {
                    lent = handle;
                    countdown.Hit();
                    await handle.WriteAsync(Content.AsMemory(0, 10_000), 0, token);
                    countdown.Hit();
                    await handle.WriteAsync(Content.AsMemory(10_000), 10_000, token);
                    countdown.Hit();
                });
            }
            else
            {
                SluiceFile.ReplaceAtomically(path, handle =>
                {
                    lent = handle;
                    countdown.Hit();
                    handle.Write(Content.AsSpan(0, 10_000), 0);
                    countdown.Hit();
                    handle.Write(Content.AsSpan(10_000), 10_000);
                    countdown.Hit();
                });
            }
        });
        isReplaced.ShouldBe(!countdown.HasThrown);
        File.ReadAllBytes(path).ShouldBeBytes(isReplaced ? Content : "old"u8);
        Directory.GetFiles(Temp.Root, ".*").ShouldBeEmpty("a temporary file was left");

        // The handle was lent for the time of the call.
        Should.Throw<ObjectDisposedException>(() => lent!.Write("late"u8, 0));
    });

    [Theory]
    [MemberData(nameof(Cases))]
    public Task Callbacks_of_a_token(string engine, FileCaching caching) => EveryCallAsync(async countdown =>
    {
        string path = Temp.NewFile(Content);
        using SluiceHandle handle = SluiceHandle.Open(path, new SluiceOptions
        {
            Access = FileAccess.ReadWrite,
            Engine = Engine(engine),
            Caching = caching,
            Options = FileOptions.Asynchronous,
        });
        using CancellationTokenSource source = new();
        using CancellationTokenRegistration first = source.Token.Register(countdown.Hit);
        byte[][] buffers = [.. Enumerable.Range(0, 8).Select(_ => new byte[3000])];
        Task<int>[] reads = [.. buffers.Select((b, i) => handle.ReadAsync(b, i * 3000, source.Token).AsTask())];
        using CancellationTokenRegistration last = source.Token.Register(countdown.Hit);
        await countdown.TryAsync(source.CancelAsync);
        for (int i = 0; i < reads.Length; i++)
        {
            try
            {
                (await reads[i]).ShouldBe(3000);
                buffers[i].ShouldBeBytes(Content.AsSpan(i * 3000, 3000));
            }
            catch (OperationCanceledException e)
            {
                e.CancellationToken.ShouldBe(source.Token);
            }
        }
    });

    [SkippableFact]
    public Task Answers_of_what_is_left_out_of_a_tree() => EveryCallAsync(async countdown =>
    {
        Skip.IfNot(OperatingSystem.IsLinux(), "leaving parts of a tree out is Linux's");
        string source = Temp.NewPath();
        foreach (string name in (string[])["a", "b", "below/c", "below/d"])
        {
            string path = Path.Combine(source, name);
            Directory.CreateDirectory(Path.GetDirectoryName(path)!);
            File.WriteAllBytes(path, Content);
        }

        string target = Temp.NewPath();
        CopyOptions options = new()
        {
            Recurse = true,
            Exclude = path =>
            {
                countdown.Hit();
                return path == "b";
            },
        };
        bool isCopied = await countdown.TryAsync(() => SluiceFile.CopyAsync(source, target, options));
        Directory.Exists(target).ShouldBe(isCopied);
        Directory.GetFileSystemEntries(Temp.Root, ".*").ShouldBeEmpty("a temporary folder was left");
        Directory.Delete(source, recursive: true);
        if (isCopied)
        {
            File.ReadAllBytes(Path.Combine(target, "below/d")).ShouldBeBytes(Content);
            Directory.Delete(target, recursive: true);
        }
    });
}
