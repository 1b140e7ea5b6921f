using System.Text;
using System.Threading.Channels;
using Sluice.Errors;
using Sluice.Interop;
using Sluice.Uring;
using Sluice.Uring.Abi;

namespace Sluice.Enumeration;

/// <summary>
/// One enumeration: folders are read, and metadata asked for, on as many threads as there are processors; chunks of entries wait in
/// a bounded queue for the caller. The first piece of the root is read on the caller's thread, which for a small folder is all.
/// </summary>
/// <remarks>
/// The metadata of open folders' names is asked for by plain calls on several threads: the kernel hands each statx of a ring to a
/// worker thread, which costs more than the call.
/// </remarks>
internal sealed class FolderWalk : IDisposable
{
    private const int MostWaitingChunks = 64;
    private const int MostDueChunks = 16;

    private static readonly int Degree = Math.Clamp(Environment.ProcessorCount, 1, 16);

    private readonly NameMatcher _matcher;
    private readonly EnumerationOptions _options;
    private readonly bool _wantsDetails;
    private readonly CancellationTokenSource _stop;
    private readonly Channel<EntryChunk> _chunks = Channel.CreateBounded<EntryChunk>(MostWaitingChunks);
    private readonly Stack<WalkStep> _due = new();
    private readonly TaskCompletionSource _ended = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private int _active;
    private int _dueChunks;
    private bool _isStarted;
    private Exception? _error;

    private FolderWalk(NameMatcher matcher, EnumerationOptions options, bool wantsDetails, CancellationToken cancellationToken)
    {
        _matcher = matcher;
        _options = options;
        _wantsDetails = wantsDetails;
        _stop = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken);
    }

    /// <summary>Chunks that others have made; completed, or failed, when there are no more.</summary>
    public ChannelReader<EntryChunk> Chunks => _chunks.Reader;

    /// <summary>The chunks that were made at once, on the caller's thread.</summary>
    public List<EntryChunk> FirstChunks { get; } = [];

    /// <summary>Null where the root cannot be opened by this way; .NET then gives the result or the exception.</summary>
    public static FolderWalk? TryStart(
        string fullRoot, string shownRoot, NameMatcher matcher, EnumerationOptions options, bool wantsDetails, CancellationToken cancellationToken)
    {
        if (DirectoryReader.TryOpen(fullRoot, out _) is not { } reader)
        {
            return null;
        }

        FolderWalk walk = new(matcher, options, wantsDetails, cancellationToken);
        WalkStep root = new(fullRoot, shownRoot, options.RecurseSubdirectories ? options.MaxRecursionDepth : 0) { Reader = reader };
        if (walk.ReadPiece(root, chunk => walk.FirstChunks.Add(chunk)))
        {
            walk._due.Push(root);
        }

        if (wantsDetails)
        {
            walk.FirstChunks.ForEach(static chunk => chunk.FindDetails());
        }

        walk.Begin();
        return walk;
    }

    public void Dispose()
    {
        _stop.Cancel();
        if (_isStarted)
        {
            // Nothing of this walk stays open behind the caller's back.
            _ended.Task.GetAwaiter().GetResult();
        }

        _stop.Dispose();
    }

    /// <summary>For a walk that nobody will take: its workers end at their next step.</summary>
    public void Abandon() => _stop.Cancel();

    private void Begin()
    {
        lock (_due)
        {
            if (_due.Count == 0)
            {
                _ = _chunks.Writer.TryComplete(_error);
                return;
            }

            _isStarted = true;
            Spawn();
        }
    }

    /// <summary>The caller holds the lock.</summary>
    private void Spawn()
    {
        for (int idle = Math.Min(Degree - _active, _due.Count); idle > 0; idle--)
        {
            _active++;
            _ = Task.Run(WorkAsync, CancellationToken.None);
        }
    }

    private void Push(WalkStep step)
    {
        lock (_due)
        {
            _due.Push(step);
            if (_isStarted)
            {
                Spawn();
            }
        }
    }

    private async Task WorkAsync()
    {
        while (TryTakeStep(out WalkStep? step))
        {
            try
            {
                if (_error is null && !_stop.IsCancellationRequested)
                {
                    await RunAsync(step).ConfigureAwait(false);
                }
            }
#pragma warning disable CA1031 // The enumeration fails with it, on the caller's side.
            catch (Exception e)
            {
                _ = Interlocked.CompareExchange(ref _error, e, null);
            }
#pragma warning restore CA1031
            step.Chunk?.Release();
            step.Reader?.Release();
            step.Reader = null;
        }
    }

    private bool TryTakeStep([System.Diagnostics.CodeAnalysis.NotNullWhen(true)] out WalkStep? step)
    {
        lock (_due)
        {
            if (_due.TryPop(out step))
            {
                return true;
            }

            if (--_active > 0)
            {
                return false;
            }
        }

        _ = _chunks.Writer.TryComplete(_error);
        _ended.SetResult();
        return false;
    }

    private async ValueTask RunAsync(WalkStep step)
    {
        if (step.Chunk is { } due)
        {
            Interlocked.Decrement(ref _dueChunks);
            due.FindDetails();
            await _chunks.Writer.WriteAsync(due, _stop.Token).ConfigureAwait(false);
            return;
        }

        if (step.Reader is null && !TryOpen(step))
        {
            return;
        }

        List<EntryChunk> made = [];
        try
        {
            await RunFolderAsync(step, made).ConfigureAwait(false);
        }
        finally
        {
            // After a stop: those that are not underway to the caller.
            made.ForEach(static chunk => chunk.Release());
        }
    }

    private async ValueTask RunFolderAsync(WalkStep step, List<EntryChunk> made)
    {
        bool hasMore;
        do
        {
            hasMore = ReadPiece(step, made.Add);
            while (made.Count > 0)
            {
                EntryChunk chunk = made[^1];
                made.RemoveAt(made.Count - 1);
                if (_wantsDetails)
                {
                    // Others take some of the questions, while this thread reads on.
                    if (Volatile.Read(ref _dueChunks) < MostDueChunks)
                    {
                        Interlocked.Increment(ref _dueChunks);
                        Push(new WalkStep(chunk));
                        continue;
                    }

                    chunk.FindDetails();
                }

                await _chunks.Writer.WriteAsync(chunk, _stop.Token).ConfigureAwait(false);
            }
        }
        while (hasMore && !_stop.IsCancellationRequested);
    }

    private bool TryOpen(WalkStep step)
    {
        step.Reader = DirectoryReader.TryOpen(step.FullPath, out int errno);
        if (step.Reader is not null)
        {
            return true;
        }

        // A folder that is gone meanwhile is left out, as in .NET; one that is closed to us if that was asked for.
        bool isGone = errno is -Errno.ENOENT or -PathErrors.ENOTDIR;
        bool isClosed = errno is -Errno.EACCES or -Errno.EPERM;
        return isGone || (isClosed && _options.IgnoreInaccessible) ? false : throw PathErrors.Create(errno, "Opening the folder", step.FullPath);
    }

    /// <summary>Reads one piece of a folder; false at its end, when the folder has been given back.</summary>
    private bool ReadPiece(WalkStep step, Action<EntryChunk> made)
    {
        DirectoryReader reader = step.Reader!;
        int bytes = reader.Refill();
        if (bytes <= 0)
        {
            step.Reader = null;
            reader.Release();
            return bytes == 0 || (_options.IgnoreInaccessible && bytes == -Errno.EACCES)
                ? false
                : throw PathErrors.Create(bytes, "Reading the folder", step.FullPath);
        }

        EntryChunk? chunk = null;
        Span<char> path = stackalloc char[step.ShownPrefix.Length + 1024];
        step.ShownPrefix.CopyTo(path);
        while (reader.TryNext(out ReadOnlySpan<byte> name, out byte type))
        {
            // Hidden is what begins with a dot; nothing is a system file on Unix.
            if ((_options.AttributesToSkip & FileAttributes.Hidden) != 0 && name[0] == '.')
            {
                continue;
            }

            int length = step.ShownPrefix.Length + Encoding.UTF8.GetChars(name, path[step.ShownPrefix.Length..]);
            ReadOnlySpan<char> text = path[step.ShownPrefix.Length..length];
            if (IsFolder(step, text, type))
            {
                if (step.Depth > 0)
                {
                    Push(step.Below(text));
                }

                continue;
            }

            if (_matcher.Matches(text))
            {
                chunk ??= NewChunk(reader);
                chunk.Add(new string(path[..length]), name);
                if (chunk.IsFull)
                {
                    made(chunk);
                    chunk = null;
                }
            }
        }

        if (chunk is not null)
        {
            made(chunk);
        }

        return true;
    }

    private EntryChunk NewChunk(DirectoryReader reader)
    {
        if (!_wantsDetails)
        {
            return new EntryChunk(null);
        }

        reader.AddReference();
        return new EntryChunk(reader);
    }

    /// <summary>A link counts as what it leads to; asked by the whole path, so that the kernel ends loops where it does for .NET.</summary>
    private static bool IsFolder(WalkStep step, ReadOnlySpan<char> name, byte type) => type switch
    {
        DirectoryReader.TypeDirectory => true,
        DirectoryReader.TypeLink or DirectoryReader.TypeUnknown =>
            NodeCalls.Stat(PathCalls.ToKernel(Path.Join(step.FullPath, name)), followsLinks: true, StatxMask.Type, out Statx stat) == 0
            && (stat.Mode & Statx.TypeMask) == Statx.TypeDirectory,
        _ => false,
    };
}
