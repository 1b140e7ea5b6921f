using Sluice.Memory;
using Sluice.Uring;

namespace Sluice.Hostile.Tests.Support;

/// <summary>
/// Holds one thread of a copy back before its first write, until the one that copies waits for it; or, where that does not, until others
/// have opened files of their own under the numbers that have become free. These files are looked at in the end.
/// </summary>
internal sealed class LateWrite : IDisposable
{
    private const int Neighbours = 40;

    private readonly Predicate<string?> _isChosen;
    private readonly ManualResetEventSlim _haveOpened = new();
    private Thread? _copier;
    private Thread? _writer;
    private volatile bool _isAwaited;

    /// <param name="isChosen">Whether a thread is, by its name, one that may be held.</param>
    public LateWrite(Predicate<string?> isChosen)
    {
        _isChosen = isChosen;
        SystemCallFaults.Use(OnCall);
        Seam.Use(OnSeam);
    }

    /// <summary>What the copy threw.</summary>
    public Exception? Error { get; set; }

    /// <summary>There is a thread that is held.</summary>
    public bool IsWaiting => Volatile.Read(ref _writer) is not null;

    public void AwaitWriter()
    {
        while (!IsWaiting)
        {
            // No wait that would hear of an interruption.
            Thread.Yield();
        }
    }

    /// <summary>Has the copy made, opens other files when it has ended, and sees that nobody writes to them.</summary>
    public async Task RunAsync(Thread copier, TempFolder temp)
    {
        byte[] content = Bytes.Pattern(100_000, 9);
        string[] paths = [.. Enumerable.Range(0, Neighbours).Select(_ => temp.NewFile(content))];
        _copier = copier;
        copier.Start();
        await EndAsync(copier);
        FileStream[] neighbours = [.. paths.Select(static p => new FileStream(p, FileMode.Open, FileAccess.ReadWrite))];
        _haveOpened.Set();
        IsWaiting.ShouldBeTrue("no thread has written");
        await EndAsync(_writer!);
        Array.ForEach(neighbours, static n => n.Dispose());
        paths.ShouldAllBe(path => File.ReadAllBytes(path).SequenceEqual(content));
    }

    public void Dispose()
    {
        SystemCallFaults.Use(null);
        Seam.Use(null);
        _haveOpened.Set();
    }

    private static Task EndAsync(Thread thread) => Watchdog.EndsAsync(
        () =>
        {
            thread.Join();
            return Task.CompletedTask;
        },
        thread.Name ?? "a thread of the copy");

    private long OnCall(string call, int descriptor, long length)
    {
        Thread thread = Thread.CurrentThread;
        if (call == "pwrite" && length > 0 && thread != _copier && _isChosen(thread.Name)
            && Interlocked.CompareExchange(ref _writer, thread, null) is null)
        {
            while (!_isAwaited && _copier!.IsAlive)
            {
                Thread.Yield();
            }

            if (!_isAwaited)
            {
                _haveOpened.Wait();
            }
        }

        return 0;
    }

    /// <summary>Nothing else waits so: the thread that copies is about to wait for those of the copy.</summary>
    private void OnSeam(SeamKind kind)
    {
        if (kind == SeamKind.Wait && IsWaiting && Thread.CurrentThread == _copier
            && Environment.StackTrace.Contains("UntilDone", StringComparison.Ordinal))
        {
            _isAwaited = true;
        }
    }
}
