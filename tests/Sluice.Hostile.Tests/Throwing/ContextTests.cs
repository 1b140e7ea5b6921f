using System.Text;

namespace Sluice.Hostile.Tests.Throwing;

/// <summary>
/// What a caller says of where it goes on. Nothing of the library goes on there: only the caller's own continuation does; and what that
/// place throws ends where .NET's own would, while the engine and other callers go on.
/// </summary>
[Trait("Tier", "nightly")]
public sealed class ContextTests : HostileTests
{
    private static readonly byte[] Content = Bytes.Pattern(200_000, 5);

    [Theory]
    [InlineData("context")]
    [InlineData("scheduler")]
    [InlineData("continuation")]
    [InlineData("callback")]
    public async Task A_place_that_throws(string place)
    {
        using Child child = new([], [], "continuations", Temp.Root, place);
        await child.SucceedAsync();
    }

    [Theory]
    [MemberData(nameof(Cases))]
    public async Task Nothing_of_the_library_goes_on_in_its_callers_context(string engine, FileCaching caching)
    {
        Countdown countdown = new(1, ThrownKind.Ordinary);
        HostileContext context = new(countdown);
        HostileScheduler scheduler = new(countdown);
        string path = Temp.NewFile(Content);
        using IDisposable scope = IoEngine.UseForCurrentContext(Engine(engine) ?? SluiceEngines.Default);
        foreach ((string name, Func<Task> call) in Calls(path, caching))
        {
            await Watchdog.EndsAsync(() => context.Run(call), name);
            countdown.HasThrown.ShouldBeFalse($"{name}: the library used the context");
            await Watchdog.EndsAsync(() => scheduler.Run(call), name);
            countdown.HasThrown.ShouldBeFalse($"{name}: the library used the scheduler");
        }
    }

    private IEnumerable<(string Name, Func<Task> Call)> Calls(string path, FileCaching caching)
    {
        byte[] buffer = new byte[5000];
        string target = Temp.NewPath();
        using (SluiceHandle handle = SluiceHandle.Open(
            path, new SluiceOptions { Access = FileAccess.ReadWrite, Caching = caching, Options = FileOptions.Asynchronous }))
        {
            yield return ("handle's read", () => handle.ReadAsync(buffer, 77).AsTask());
            yield return ("handle's write", () => handle.WriteAsync(buffer, 77).AsTask());
            yield return ("handle's vectored read", () => handle.ReadAsync([buffer.AsMemory(0, 99), buffer.AsMemory(99)], 77).AsTask());
            yield return ("handle's append", () => handle.AppendAsync(buffer).AsTask());
            yield return ("handle's flush", () => handle.FlushToDiskAsync().AsTask());
        }

        SluiceStream stream = new(path, new SluiceOptions
        {
            Access = FileAccess.ReadWrite,
            Caching = caching,
            BufferSize = 4096,
            Options = FileOptions.Asynchronous,
        });
        yield return ("stream's read", () => stream.ReadAsync(buffer).AsTask());
        yield return ("stream's byte", () => stream.ReadByteAsync().AsTask());
        yield return ("stream's write", () => stream.WriteAsync(buffer).AsTask());
        yield return ("stream's copy", () => stream.CopyToAsync(new MemoryStream(), 8192));
        yield return ("stream's flush", () => stream.FlushAsync());
        yield return ("stream's closing", () => stream.DisposeAsync().AsTask());
        SluiceReader reader = new(path, new SluiceReaderOptions { Caching = caching, RequestSize = 8192, Depth = 2 });
        yield return ("reader's block", () => reader.ReadBlockAsync().AsTask());
        yield return ("reader's next", () => reader.ReadBlockAsync().AsTask());
        yield return ("reader's closing", () => reader.DisposeAsync().AsTask());
        SluiceWriter writer = new(target, new SluiceWriterOptions { Caching = caching, RequestSize = 8192, Depth = 2 });
        yield return ("writer's write", () => writer.WriteAsync(Content).AsTask());
        yield return ("writer's flush", () => writer.FlushAsync(true).AsTask());
        yield return ("writer's closing", () => writer.DisposeAsync().AsTask());
        yield return ("read of a file", () => SluiceFile.ReadAllBytesAsync(path));
        yield return ("text of a file", () => SluiceFile.ReadAllTextAsync(path, Encoding.Latin1));
        yield return ("lines of a file", () => SluiceFile.ReadAllLinesAsync(path, Encoding.Latin1));
        yield return ("writing of a file", () => SluiceFile.WriteAllBytesAsync(target, Content));
        yield return ("writing of lines", () => SluiceFile.WriteAllLinesAsync(target, Enumerable.Repeat("a line", 5000)));
        yield return ("appending to a file", () => SluiceFile.AppendAllTextAsync(target, "text"));
        yield return ("replacement", () => SluiceFile.ReplaceAtomicallyAsync(target, Content));
        yield return ("copy", () => SluiceFile.CopyAsync(path, target, new CopyOptions { Overwrite = true }));
        yield return ("direct copy", () => SluiceFile.CopyAsync(
            path, target, new CopyOptions { Overwrite = true, Method = CopyMethod.Direct }));
        yield return ("many files", () => SluiceFile.WriteManyAsync(
            Enumerable.Range(0, 40).Select(i => ($"{target}-{i}", (ReadOnlyMemory<byte>)Content.AsMemory(i, 50)))));
        foreach ((string name, Func<Task> call) in Sequence(
            "read of many", SluiceFile.ReadManyAsync(Enumerable.Range(0, 40).Select(i => $"{target}-{i}"))))
        {
            yield return (name, call);
        }

        foreach ((string name, Func<Task> call) in Sequence("lines", SluiceFile.ReadLinesAsync(path, Encoding.Latin1)))
        {
            yield return (name, call);
        }

        foreach ((string name, Func<Task> call) in Sequence("enumeration", SluiceFile.EnumerateFilesAsync(Temp.Root)))
        {
            yield return (name, call);
        }

        foreach ((string name, Func<Task> call) in Sequence(
            "scan", SluiceReader.ScanAsync(path, part => part.Bytes.Length, new SluiceScanOptions { PartSize = 20_000, Degree = 2 })))
        {
            yield return (name, call);
        }

        SluiceLog log = SluiceLog.Open(Temp.NewPath());
        yield return ("log's append", () => log.AppendAsync(buffer, LogDurability.Durable).AsTask());
        yield return ("log's flush", () => log.FlushAsync().AsTask());
        yield return ("log's closing", () => log.DisposeAsync().AsTask());
    }

    /// <summary>A few steps of a sequence, and its end.</summary>
    private static IEnumerable<(string Name, Func<Task> Call)> Sequence<T>(string name, IAsyncEnumerable<T> sequence)
    {
        IAsyncEnumerator<T> enumerator = sequence.GetAsyncEnumerator();
        for (int i = 0; i < 5; i++)
        {
            yield return ($"{name}, step {i}", () => enumerator.MoveNextAsync().AsTask());
        }

        yield return ($"{name}, end", () => enumerator.DisposeAsync().AsTask());
    }
}
