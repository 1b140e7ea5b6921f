using System.Diagnostics.CodeAnalysis;

namespace Sluice.Files;

/// <summary>Reads the groups of one batch ahead of its caller, in their order. For one caller at a time.</summary>
internal sealed class FileBatchReader(int degree)
{
    private readonly Task<SmallFile[]>?[] _lanes = new Task<SmallFile[]>?[degree];
    private readonly Queue<Task<SmallFile[]>> _ahead = new();
    private int _lane;
    private volatile bool _isLeft;

    /// <summary>As many at once as were asked for, and as many more that are done or come next: whoever is done finds work begun.</summary>
    public bool HasRoom => _ahead.Count < 2 * degree;

    public void Begin(string[] paths)
    {
        Task<SmallFile[]> group = _lanes[_lane] is { } before
            ? before.ContinueWith((_, next) => Read((string[])next!), paths, TaskScheduler.Default)
            : Task.Run(() => Read(paths), CancellationToken.None);
        _ahead.Enqueue(_lanes[_lane] = group);
        _lane = (_lane + 1) % degree;
    }

    /// <summary>The group that was begun first; false when there is none.</summary>
    public bool TryTakeNext([NotNullWhen(true)] out Task<SmallFile[]>? group) => _ahead.TryDequeue(out group);

    /// <summary>Ends when no group goes on behind the back of a caller who has left; those not begun yet never are.</summary>
    public Task LeaveAsync()
    {
        _isLeft = true;
        return Task.WhenAll(_ahead);
    }

    private SmallFile[] Read(string[] paths)
    {
        if (_isLeft)
        {
            return [];
        }

        SmallFile[] files = new SmallFile[paths.Length];
        for (int i = 0; i < paths.Length; i++)
        {
            files[i].Path = paths[i];
        }

        SmallFileReader.Read(files);
        return files;
    }
}
