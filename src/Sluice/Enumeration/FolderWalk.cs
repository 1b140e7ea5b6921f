using System.Runtime.ExceptionServices;
using System.Text;
using Sluice.Errors;
using Sluice.Kernel;
using Sluice.Uring;

namespace Sluice.Enumeration;

/// <summary>
/// One enumeration: steps that are due (the next piece of a folder, the details of a chunk), and chunks that are ready for the caller.
/// A caller who waits does steps by itself, so that it depends on nobody; when it has done some, threads of the pool help. A helper
/// never waits: where nothing is due, or enough is ready, it ends, and the caller calls others when it has taken some.
/// </summary>
/// <remarks>
/// For one caller at a time. The metadata of open folders' names is asked for by plain calls on several threads: the kernel hands each
/// statx of a ring to a worker thread, which costs more than the call.
/// </remarks>
internal sealed class FolderWalk : IThreadPoolWorkItem, IDisposable
{
    /// <summary>Chunks of entries that wait for the caller of an enumeration (0010).</summary>
    private const int MaxReadyChunks = 64;

    // Most walks that end early, and small folders, are over by then.

    /// <summary>Steps of an enumeration that its caller does alone before others help (0010).</summary>
    private const int StepsAlone = 32;

    // Entries of a step: few at first, for who leaves at once; for a helper all of a piece.

    /// <summary>Entries of its first step (0010).</summary>
    private const int FirstStepEntries = 8;

    private const int UsualNameChars = 1024;

    private static readonly int MaxHelpers = Math.Clamp(Environment.ProcessorCount, 1, Tuning.FolderWalkMaxHelpers);

    // All below belong to the lock; an object, because threads wait on it.
    private readonly object _lock = new();
    private readonly Stack<WalkStep> _due = new();
    private readonly Queue<EntryChunk> _ready = new();
    private int _stepsAlone;
    private int _helpers;
    private int _running;
    private Exception? _error;
    private TaskCompletionSource? _change;

    private readonly FolderQuery _query;
    private readonly WalkOutput _output = new();
    private volatile bool _isStopped;

    private FolderWalk(FolderQuery query, DirectoryReader root)
    {
        _query = query;
        _due.Push(new WalkStep(query.FullRoot, query.ShownRoot, query.Depth) { Reader = root });
    }

    /// <summary>Whether nobody wants anything of this walk any more.</summary>
    public bool IsStopped => _isStopped;

    /// <summary>Opens the root and does nothing else; null where it cannot be opened by this way.</summary>
    public static FolderWalk? TryOpen(FolderQuery query) =>
        DirectoryReader.TryOpen(query.FullRoot, out _) is { } root ? new FolderWalk(query, root) : null;

    public static FolderWalk Open(FolderQuery query) => DirectoryReader.TryOpen(query.FullRoot, out int errno) is { } root
        ? new FolderWalk(query, root)
        : throw PathErrors.Create(errno, "Opening the folder", query.FullRoot);

    /// <summary>The next files, which become the caller's to dispose of; null at the end. Needs no thread but the caller's.</summary>
    public EntryChunk? Next()
    {
        while (true)
        {
            WalkStep? step;
            int maxEntries;
            lock (_lock)
            {
                while (true)
                {
                    if (TryTakeReady(out EntryChunk? chunk))
                    {
                        return chunk;
                    }

                    if (_due.TryPop(out step))
                    {
                        break;
                    }

                    if (_running == 0)
                    {
                        return null;
                    }

                    _ = Monitor.Wait(_lock);
                }

                maxEntries = _stepsAlone == 0 ? FirstStepEntries : EntryChunk.MaxEntries;
                _stepsAlone++;
                CallHelpers();
            }

            if (step.Entries is not null)
            {
                // Its details are asked for as the caller goes on.
                return step.Entries;
            }

            Publish(step, _output, Run(step, _output, maxEntries));
        }
    }

    /// <summary>As <see cref="Next()"/>, but all steps are done by helpers.</summary>
    public async ValueTask<EntryChunk?> NextAsync(CancellationToken cancellationToken)
    {
        while (true)
        {
            Task change;
            lock (_lock)
            {
                if (TryTakeReady(out EntryChunk? chunk))
                {
                    return chunk;
                }

                if (_due.Count == 0 && _running == 0)
                {
                    return null;
                }

                _stepsAlone = StepsAlone;
                _change ??= new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
                change = _change.Task;
                CallHelpers();
            }

            await change.WaitAsync(cancellationToken).ConfigureAwait(false);
        }
    }

    /// <summary>Closes everything, and waits for nobody: a helper that is in a step closes its folder when it is through with it.</summary>
    public void Dispose()
    {
        _isStopped = true;
        lock (_lock)
        {
            while (_due.TryPop(out WalkStep? step))
            {
                step.Close();
            }

            while (_ready.TryDequeue(out EntryChunk? chunk))
            {
                chunk.Dispose();
            }
        }
    }

    /// <summary>A helper, on a thread of the pool.</summary>
    void IThreadPoolWorkItem.Execute()
    {
        lock (_lock)
        {
            _running++;
        }

        WalkOutput output = new();
        while (TryTakeStep(out WalkStep? step))
        {
            Publish(step, output, Run(step, output, int.MaxValue));
        }
    }

    /// <summary>The caller holds the lock. What is ready comes before an error.</summary>
    private bool TryTakeReady([System.Diagnostics.CodeAnalysis.NotNullWhen(true)] out EntryChunk? chunk)
    {
        if (_ready.TryDequeue(out chunk))
        {
            CallHelpers();
            return true;
        }

        if (_error is not null)
        {
            ExceptionDispatchInfo.Throw(_error);
        }

        return false;
    }

    /// <summary>The caller holds the lock.</summary>
    private void CallHelpers()
    {
        if (_stepsAlone < StepsAlone || _ready.Count > MaxReadyChunks / 2)
        {
            return;
        }

        for (int missing = Math.Min(MaxHelpers, _due.Count) - _helpers; missing > 0; missing--)
        {
            ThreadPool.UnsafeQueueUserWorkItem(this, preferLocal: false);
            _helpers++;
        }
    }

    /// <summary>What a helper does next; false when it has ended.</summary>
    private bool TryTakeStep([System.Diagnostics.CodeAnalysis.NotNullWhen(true)] out WalkStep? step)
    {
        lock (_lock)
        {
            step = null;
            if (!_isStopped && _error is null && _ready.Count < MaxReadyChunks && _due.TryPop(out step))
            {
                return true;
            }

            _helpers--;
            _running--;
            SignalChange();
            return false;
        }
    }

    /// <summary>Does one step; what it found is in the output, and what went wrong is returned.</summary>
    private Exception? Run(WalkStep step, WalkOutput output, int maxEntries)
    {
        try
        {
            if (step.Entries is not null)
            {
                step.Entries.FindDetails(this);
            }
            else if (step.Reader is not null || TryOpen(step))
            {
                ReadPiece(step, output, maxEntries);
            }

            return null;
        }
#pragma warning disable CA1031 // The enumeration fails with it, on the caller's side.
        catch (Exception e)
        {
            step.Close();
            return e;
        }
#pragma warning restore CA1031
    }

    private void Publish(WalkStep step, WalkOutput output, Exception? error)
    {
        lock (_lock)
        {
            _error ??= error;
            if (_isStopped || error is not null)
            {
                step.Close();
                output.Discard();
            }
            else
            {
                Keep(step, output);
            }

            SignalChange();
        }
    }

    /// <summary>The caller holds the lock. On top what comes next: details of a piece, the folders in it, then the next piece.</summary>
    private void Keep(WalkStep step, WalkOutput output)
    {
        if (step.Reader is not null)
        {
            _due.Push(step);
        }

        for (int i = output.Folders.Count - 1; i >= 0; i--)
        {
            _due.Push(output.Folders[i]);
        }

        if (step.Entries is not null)
        {
            _ready.Enqueue(step.Entries);
        }

        output.Chunks.ForEach(_query.WantsDetails ? chunk => _due.Push(new WalkStep(chunk)) : _ready.Enqueue);
        output.Clear();
        CallHelpers();
    }

    /// <summary>The caller holds the lock; whoever awaits the change goes on on a thread of the pool.</summary>
    private void SignalChange()
    {
        Monitor.PulseAll(_lock);
        _change?.SetResult();
        _change = null;
    }

    private bool TryOpen(WalkStep step)
    {
        step.Reader = DirectoryReader.TryOpen(step.FullPath, out int errno);
        if (step.Reader is not null)
        {
            return true;
        }

        // A folder that is gone meanwhile is left out, as in .NET; one that is closed to us if that was asked for.
        bool isGone = errno is -Errno.ENOENT or -Errno.ENOTDIR;
        bool isClosed = errno is -Errno.EACCES or -Errno.EPERM;
        return isGone || (isClosed && _query.IgnoresInaccessible)
            ? false
            : throw PathErrors.Create(errno, "Opening the folder", step.FullPath);
    }

    /// <summary>Takes what is left of a folder's piece, or of the next one, as far as that goes; closes the folder at its end.</summary>
    private void ReadPiece(WalkStep step, WalkOutput output, int maxEntries)
    {
        DirectoryReader reader = step.Reader!;
        int bytes = reader.HasEntries ? 1 : reader.Refill();
        if (bytes <= 0)
        {
            step.Close();
            if (bytes == 0 || (_query.IgnoresInaccessible && bytes == -Errno.EACCES))
            {
                return;
            }

            throw PathErrors.Create(bytes, "Reading the folder", step.FullPath);
        }

        EntryChunk? chunk = null;
        Span<char> chars = stackalloc char[UsualNameChars];
        for (; maxEntries > 0 && reader.TryNext(out ReadOnlySpan<byte> name, out byte type); maxEntries--)
        {
            // Hidden is what begins with a dot; nothing is a system file on Unix.
            if (_query.SkipsHidden && name[0] == '.')
            {
                continue;
            }

            if (name.Length > chars.Length)
            {
                // A file system in another process may have longer ones (FUSE: 4095 bytes).
                chars = new char[name.Length];
            }

            ReadOnlySpan<char> text = chars[..Encoding.UTF8.GetChars(name, chars)];
            if (step.IsFolder(text, type))
            {
                if (step.Depth > 0)
                {
                    output.Folders.Add(step.Below(text));
                }
            }
            else if (_query.Matches(text))
            {
                if (chunk is null or { IsFull: true })
                {
                    chunk = new EntryChunk(_query.WantsDetails ? reader.AddReference() : null);
                    output.Chunks.Add(chunk);
                }

                chunk.Add(string.Concat(step.ShownPrefix, text), name);
            }
        }
    }
}
