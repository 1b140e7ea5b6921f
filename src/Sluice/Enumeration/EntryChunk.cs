using Sluice.Errors;
using Sluice.Uring;
using Sluice.Uring.Abi;

namespace Sluice.Enumeration;

/// <summary>
/// Some files of one directory. If the directory is specified, their metadata is read: all at once in advance, or one by one when the
/// caller requests an entry. Used by one thread at a time.
/// </summary>
internal sealed class EntryChunk(DirectoryReader? folder) : IDisposable
{
    /// <summary>The maximum number of entries of a chunk (0010).</summary>
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

    /// <summary>Returns a file with its size and times, which are read now if necessary. Each entry is requested once, in order.</summary>
    public FileEntry EntryAt(int index) => _details is null ? StatNext(index) : _details[index];

    /// <summary>Adds a path, and its name for reading the metadata later.</summary>
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

    /// <summary>Reads the metadata of all entries. Stops if the enumeration is disposed.</summary>
    public void FindDetails(FolderWalk walk)
    {
        FileEntry[] details = new FileEntry[Count];
        for (int i = 0; i < details.Length && !walk.IsStopped; i++)
        {
            details[i] = StatNext(i);
        }

        _details = details;
        Dispose();
    }

    /// <summary>Releases the directory.</summary>
    public void Dispose()
    {
        _folder?.Release();
        _folder = null;
        _names = [];
    }

    /// <summary>
    /// Reads the metadata of the next entry. Uses the name relative to the open directory, so that the kernel does not resolve the path
    /// again.
    /// </summary>
    private FileEntry StatNext(int index)
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

            // FileInfo returns these values for a file that does not exist.
            return new FileEntry(path, -1, DateTime.FromFileTimeUtc(0), DateTime.FromFileTimeUtc(0), DateTime.FromFileTimeUtc(0));
        }

        DateTime written = ToUtc(stat.Mtime);
        DateTime changed = ToUtc(stat.Ctime);
        DateTime made = (stat.Mask & StatxMask.Btime) != 0 ? ToUtc(stat.Btime) : written < changed ? written : changed;
        return new FileEntry(path, (long)stat.Size, made, written, ToUtc(stat.Atime));
    }

    /// <summary>
    /// Converts a time. Times outside the range of <see cref="DateTime"/>, which any user can set, become the earliest or the latest one.
    /// </summary>
    private static DateTime ToUtc(in StatxTimestamp time)
    {
        const long first = -62_135_596_800;
        const long last = 253_402_300_799;
        return time.Seconds < first ? new DateTime(0, DateTimeKind.Utc)
            : time.Seconds > last ? new DateTime(DateTime.MaxValue.Ticks, DateTimeKind.Utc)
            : DateTime.UnixEpoch.AddTicks((time.Seconds * TimeSpan.TicksPerSecond) + (time.Nanoseconds / TimeSpan.NanosecondsPerTick));
    }
}
