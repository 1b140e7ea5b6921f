using System.Runtime.ExceptionServices;
using System.Text;
using Sluice.Errors;
using Sluice.Kernel;
using Sluice.Uring;

namespace Sluice.Enumeration;

/// <summary>
/// An enumeration in progress: a stack of steps (read the next piece of a directory, or the metadata of a chunk) and a queue of chunks that
/// are ready for the caller. A caller that waits performs steps itself, so that it does not depend on other threads. After some steps,
/// thread-pool threads help. Helpers never wait: they end if there is no step or if enough chunks are ready.
/// </summary>
/// <remarks>
/// Supports one caller at a time. Metadata is read with system calls on several threads, because the kernel hands each statx of a ring to a
/// worker thread, which takes longer than the call.
/// </remarks>
internal sealed class FolderWalk : IThreadPoolWorkItem, IDisposable
{
    /// <summary>The maximum number of chunks that are ready for the caller (0010).</summary>
    private const int MaxReadyChunks = 64;

    // Most enumerations of small directories, and those that end early, need fewer steps than this.

    /// <summary>The number of steps that the caller performs before helpers are started (0010).</summary>
    private const int CallerOnlySteps = 32;

    // The first steps of the caller are small, for callers that stop early. Steps of helpers read whole pieces.

    /// <summary>The number of entries of the first step (0010).</summary>
    private const int FirstStepEntries = 8;

    private const int UsualNameChars = 1024;

    private static readonly int MaxHelpers = Math.Clamp(Environment.ProcessorCount, 1, Tuning.FolderWalkMaxHelpers);

    // Protects the fields below. It is an object and not a Lock, because threads wait on it.
    private readonly object _lock = new();
    private readonly Stack<WalkStep> _due = new();
    private readonly Queue<EntryChunk> _ready = new();
    private int _stepsAlone;
    private int _helpers;
    private int _running;
    private Exception? _error;

    private readonly FolderQuery _query;
    private readonly WalkOutput _output = new();
    private volatile bool _isStopped;

    private FolderWalk(FolderQuery query, DirectoryReader root)
    {
        _query = query;
        _due.Push(new WalkStep(query.FullRoot, query.ShownRoot, query.Depth) { Reader = root });
    }

    /// <summary>Gets a value that indicates whether the enumeration has been disposed.</summary>
    public bool IsStopped => _isStopped;

    /// <summary>Opens the root. Returns null if that fails.</summary>
    public static FolderWalk? TryOpen(FolderQuery query) =>
        DirectoryReader.TryOpen(query.FullRoot, out _) is { } root ? new FolderWalk(query, root) : null;

    public static FolderWalk Open(FolderQuery query) => DirectoryReader.TryOpen(query.FullRoot, out int errno) is { } root
        ? new FolderWalk(query, root)
        : throw PathErrors.Create(errno, "Opening the folder", query.FullRoot);

    /// <summary>Returns the next chunk, which the caller disposes, or null at the end. Does not depend on other threads.</summary>
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
                StartHelpers();
            }

            if (step.Entries is not null)
            {
                // The metadata is read when the caller requests the entries.
                return step.Entries;
            }

            Publish(step, _output, Run(step, _output, maxEntries));
        }
    }

    /// <summary>Stops the enumeration without waiting. A helper closes its directory when its step has ended.</summary>
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

    /// <summary>Runs a helper on a thread-pool thread.</summary>
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

    /// <summary>
    /// Takes a ready chunk. If there is none, throws the exception of a failed step, or returns false if no step has failed. The caller
    /// holds the lock.
    /// </summary>
    private bool TryTakeReady([System.Diagnostics.CodeAnalysis.NotNullWhen(true)] out EntryChunk? chunk)
    {
        if (_ready.TryDequeue(out chunk))
        {
            StartHelpers();
            return true;
        }

        if (_error is not null)
        {
            ExceptionDispatchInfo.Throw(_error);
        }

        return false;
    }

    /// <summary>Starts helpers for the steps that are due, after the caller's first steps. The caller holds the lock.</summary>
    private void StartHelpers()
    {
        if (_stepsAlone < CallerOnlySteps || _ready.Count > MaxReadyChunks / 2)
        {
            return;
        }

        for (int missing = Math.Min(MaxHelpers, _due.Count) - _helpers; missing > 0; missing--)
        {
            ThreadPool.UnsafeQueueUserWorkItem(this, preferLocal: false);
            _helpers++;
        }
    }

    /// <summary>Returns the next step for a helper, or false if the helper ends.</summary>
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
            Monitor.PulseAll(_lock);
            return false;
        }
    }

    /// <summary>
    /// Performs one step, and stores its results in <paramref name="output"/>. Returns the exception if the step failed; otherwise, null.
    /// </summary>
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
#pragma warning disable CA1031 // The caller of the enumeration gets the exception.
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
                QueueFollowing(step, output);
            }

            Monitor.PulseAll(_lock);
        }
    }

    /// <summary>
    /// Queues the output of a step and the steps that follow it. They are performed in this order: metadata, subdirectories, next piece. The
    /// caller holds the lock.
    /// </summary>
    private void QueueFollowing(WalkStep step, WalkOutput output)
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
        StartHelpers();
    }

    private bool TryOpen(WalkStep step)
    {
        step.Reader = DirectoryReader.TryOpen(step.FullPath, out int errno);
        if (step.Reader is not null)
        {
            return true;
        }

        // As in .NET, a directory that no longer exists is skipped, and one that cannot be accessed is skipped if the options say so.
        bool isGone = errno is -Errno.ENOENT or -Errno.ENOTDIR;
        bool isClosed = errno is -Errno.EACCES or -Errno.EPERM;
        return isGone || (isClosed && _query.IgnoresInaccessible)
            ? false
            : throw PathErrors.Create(errno, "Opening the folder", step.FullPath);
    }

    /// <summary>
    /// Reads entries of the current or next piece of a directory, up to <paramref name="maxEntries"/>. Closes the directory at its end.
    /// </summary>
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
            // On Unix, names that begin with a dot are hidden, and no file is a system file.
            if (_query.SkipsHidden && name[0] == '.')
            {
                continue;
            }

            if (name.Length > chars.Length)
            {
                // File systems in user space may have longer names (FUSE: 4095 bytes).
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
