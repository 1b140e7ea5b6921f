using Sluice.Interop;
using Sluice.Uring.Abi;

namespace Sluice.Enumeration;

/// <summary>Some files of one folder, on their way to the caller.</summary>
internal sealed class EntryChunk(DirectoryReader? folder)
{
    public const int MostEntries = 256;

    private DirectoryReader? _folder = folder;
    private byte[] _names = [];
    private int _namesUsed;

    public List<string> Paths { get; } = new(MostEntries);

    /// <summary>As many as there are paths, once they have been asked for; a file that is gone meanwhile has none.</summary>
    public FileEntry[]? Details { get; private set; }

    public bool IsFull => Paths.Count == MostEntries;

    /// <summary>Keeps a path, and its name for the question to come.</summary>
    public void Add(string path, ReadOnlySpan<byte> name)
    {
        Paths.Add(path);
        if (_folder is null)
        {
            return;
        }

        if (_names.Length < _namesUsed + name.Length + 1)
        {
            Array.Resize(ref _names, Math.Max(_names.Length * 2, Math.Max(1024, name.Length + 1)));
        }

        name.CopyTo(_names.AsSpan(_namesUsed));
        _names[_namesUsed + name.Length] = 0;
        _namesUsed += name.Length + 1;
    }

    /// <summary>Asks for sizes and times: by name in the open folder, so that the kernel walks no path.</summary>
    public void FindDetails()
    {
        FileEntry[] details = new FileEntry[Paths.Count];
        ReadOnlySpan<byte> names = _names.AsSpan(0, _namesUsed);
        for (int i = 0; i < details.Length; i++)
        {
            details[i] = Describe(Paths[i], names);
            names = names[(names.IndexOf((byte)0) + 1)..];
        }

        Details = details;
        _names = [];
        Release();
    }

    /// <summary>Gives the folder back, if it has not been; what has not been asked for never will be.</summary>
    public void Release()
    {
        _folder?.Release();
        _folder = null;
    }

    private FileEntry Describe(string path, ReadOnlySpan<byte> name)
    {
        const StatxMask mask = StatxMask.BasicStats | StatxMask.Btime;
        if (_folder!.Stat(name, mask, out Statx stat) < 0)
        {
            // As FileInfo says of a file that is gone.
            return new FileEntry(path, -1, DateTime.FromFileTimeUtc(0), DateTime.FromFileTimeUtc(0), DateTime.FromFileTimeUtc(0));
        }

        DateTime written = ToUtc(stat.Mtime);
        DateTime changed = ToUtc(stat.Ctime);
        DateTime made = (stat.Mask & StatxMask.Btime) != 0 ? ToUtc(stat.Btime) : written < changed ? written : changed;
        return new FileEntry(path, (long)stat.Size, made, written, ToUtc(stat.Atime));
    }

    private static DateTime ToUtc(in StatxTimestamp time) =>
        DateTime.UnixEpoch.AddTicks((time.Seconds * TimeSpan.TicksPerSecond) + (time.Nanoseconds / TimeSpan.NanosecondsPerTick));
}
