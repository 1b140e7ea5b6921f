using Sluice.Errors;
using Sluice.Uring;
using Sluice.Uring.Abi;

namespace Sluice.Enumeration;

/// <summary>
/// Some files of one folder, on their way to the caller. With a folder, it can ask for their details: all at once, ahead of the caller,
/// or one by one as the caller goes on. For one thread at a time.
/// </summary>
internal sealed class EntryChunk(DirectoryReader? folder) : IDisposable
{
    /// <summary>Entries that one thread hands to another together (0010).</summary>
    public const int MaxEntries = 256;

    private readonly List<string> _paths = [];
    private DirectoryReader? _folder = folder;
    private byte[] _names = [];
    private int _namesUsed;
    private int _namesAsked;
    private FileEntry[]? _details;

    public int Count => _paths.Count;

    public bool IsFull => _paths.Count == MaxEntries;

    public string PathAt(int index) => _paths[index];

    /// <summary>A file with its size and times, asked for now where they have not been; from front to back, each once.</summary>
    public FileEntry EntryAt(int index) => _details is null ? AskNext(index) : _details[index];

    /// <summary>Keeps a path, and its name for the question to come.</summary>
    public void Add(string path, ReadOnlySpan<byte> name)
    {
        _paths.Add(path);
        if (_folder is null)
        {
            return;
        }

        int needed = _namesUsed + name.Length + 1;
        if (_names.Length < needed)
        {
            Array.Resize(ref _names, Math.Max(needed, Math.Max(1024, _names.Length * 2)));
        }

        name.CopyTo(_names.AsSpan(_namesUsed));
        _names[needed - 1] = 0;
        _namesUsed = needed;
    }

    /// <summary>Asks for all sizes and times; leaves off when nobody wants them any more.</summary>
    public void FindDetails(FolderWalk walk)
    {
        FileEntry[] details = new FileEntry[Count];
        for (int i = 0; i < details.Length && !walk.IsStopped; i++)
        {
            details[i] = AskNext(i);
        }

        _details = details;
        Dispose();
    }

    /// <summary>Gives the folder back, if it has not been; what has not been asked for never will be.</summary>
    public void Dispose()
    {
        _folder?.Release();
        _folder = null;
        _names = [];
    }

    /// <summary>By name in the open folder, so that the kernel walks no path.</summary>
    private FileEntry AskNext(int index)
    {
        ReadOnlySpan<byte> names = _names.AsSpan(_namesAsked);
        _namesAsked += names.IndexOf((byte)0) + 1;
        return Describe(_paths[index], names);
    }

    private FileEntry Describe(string path, ReadOnlySpan<byte> name)
    {
        const StatxMask mask = StatxMask.BasicStats | StatxMask.Btime;
        int error = _folder!.Stat(name, mask, out Statx stat);
        if (error < 0)
        {
            if (error is not (-Errno.ENOENT or -Errno.EACCES or -Errno.EPERM))
            {
                throw PathErrors.Create(error, "Looking at", path);
            }

            // As FileInfo says of a file that is gone.
            return new FileEntry(path, -1, DateTime.FromFileTimeUtc(0), DateTime.FromFileTimeUtc(0), DateTime.FromFileTimeUtc(0));
        }

        DateTime written = ToUtc(stat.Mtime);
        DateTime changed = ToUtc(stat.Ctime);
        DateTime made = (stat.Mask & StatxMask.Btime) != 0 ? ToUtc(stat.Btime) : written < changed ? written : changed;
        return new FileEntry(path, (long)stat.Size, made, written, ToUtc(stat.Atime));
    }

    /// <summary>Times that no <see cref="DateTime"/> can be, which any user can give a file, become the first or the last one.</summary>
    private static DateTime ToUtc(in StatxTimestamp time)
    {
        const long first = -62_135_596_800;
        const long last = 253_402_300_799;
        return time.Seconds < first ? new DateTime(0, DateTimeKind.Utc)
            : time.Seconds > last ? new DateTime(DateTime.MaxValue.Ticks, DateTimeKind.Utc)
            : DateTime.UnixEpoch.AddTicks((time.Seconds * TimeSpan.TicksPerSecond) + (time.Nanoseconds / TimeSpan.NanosecondsPerTick));
    }
}
