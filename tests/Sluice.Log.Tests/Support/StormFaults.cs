using Sluice.Log.Folders;
using Sluice.Uring;

namespace Sluice.Log.Tests.Support;

/// <summary>
/// System calls about the files of one log that fail at random, or write less: those of the thread that makes this, and of the log's own.
/// It looks at every call of the process: such tests run alone. What waits for a thread or wakes one does not fail.
/// </summary>
internal sealed class StormFaults : IDisposable
{
    private const int EIO = 5;
    private const int EAGAIN = 11;
    private const int EACCES = 13;
    private const int EMFILE = 24;
    private const int EFBIG = 27;
    private const int ENOSPC = 28;

    private readonly string _log;
    private readonly Random _random;
    private readonly StormTrace _trace;
    private readonly int _caller = Environment.CurrentManagedThreadId;
    private volatile int _kinds;
    private volatile int _permille;

    /// <summary>Of the caller alone, which is the only one that looks at it.</summary>
    private bool _sparesCaller;

    /// <param name="log">The log's folder.</param>
    /// <param name="seed">Says which calls fail. Threads come to them in another order each time.</param>
    /// <param name="trace">Told of each fault.</param>
    public StormFaults(string log, int seed, StormTrace trace)
    {
        (_log, _random, _trace) = (log, new Random(seed), trace);
        SystemCallFaults.Use(AnswerTo);
    }

    /// <summary>What may fail.</summary>
    [Flags]
    public enum Kinds
    {
        None = 0,
        Removing = 1 << 0,
        FlushingFolder = 1 << 1,
        FlushingSegment = 1 << 2,
        WritingSegment = 1 << 3,
        WritingState = 1 << 4,
        FlushingState = 1 << 5,
        SettingLength = 1 << 6,
        Looking = 1 << 7,
        Opening = 1 << 8,
        Reading = 1 << 9,
        Renaming = 1 << 10,

        /// <summary>A segment's writes fail, or write a part.</summary>
        WritingPart = 1 << 11,
        Allocating = 1 << 12,
        Locking = 1 << 13,
        Listing = 1 << 14,
    }

    /// <summary>What fails from now on, and how often of a thousand times.</summary>
    public void Set(Kinds kinds, int permille)
    {
        _permille = permille;
        _kinds = (int)kinds;
        _trace.Add($"{kinds}, {permille} of 1,000");
    }

    /// <summary>Half as often from now on.</summary>
    public void Abate() => _permille /= 2;

    /// <summary>Does something on the caller's thread of which no call fails.</summary>
    public T Spare<T>(Func<T> action)
    {
        _sparesCaller = true;
        try
        {
            return action();
        }
        finally
        {
            _sparesCaller = false;
        }
    }

    public void Dispose() => SystemCallFaults.Use(null);

    private long AnswerTo(string call, int fd, long length)
    {
        Kinds kinds = (Kinds)_kinds;
        bool isCaller = Environment.CurrentManagedThreadId == _caller;
        if (kinds == Kinds.None || (isCaller ? _sparesCaller : !IsOfLog(Thread.CurrentThread)))
        {
            return 0;
        }

        string name = NameOf(fd);
        if (name != _log && Path.GetDirectoryName(name) != _log)
        {
            return 0;
        }

        Kinds kind = KindOf(call, name);
        lock (_random)
        {
            bool mayBePart = kind == Kinds.WritingSegment && (kinds & Kinds.WritingPart) != 0;
            if (((kinds & kind) == 0 && !mayBePart) || _random.Next(1000) >= _permille)
            {
                return 0;
            }

            if (mayBePart && length > 8 && _random.Next(2) == 0)
            {
                long part = _random.NextInt64(1, length);
                _trace.Add($"      {part} of {length} by {call} {Path.GetFileName(name)}");
                return part;
            }

            int errno = _random.Next(2) == 0 ? EIO : kind switch
            {
                Kinds.Removing or Kinds.Renaming => EACCES,
                Kinds.WritingSegment or Kinds.WritingState => ENOSPC,
                Kinds.Opening => EMFILE,
                Kinds.Locking => EAGAIN,
                Kinds.Allocating => ENOSPC,
                Kinds.SettingLength => EFBIG,
                _ => EIO,
            };
            _trace.Add($"      {errno} for {call} {Path.GetFileName(name)} {length} on {Thread.CurrentThread.Name ?? "the caller"}");
            return -errno;
        }
    }

    private Kinds KindOf(string call, string name) => call switch
    {
        "unlinkat" => Kinds.Removing,
        "renameat" or "renameat2" => Kinds.Renaming,
        "ftruncate" => Kinds.SettingLength,
        "statx" or "fstat" => Kinds.Looking,
        "open" or "openat" or "openat2" => Kinds.Opening,
        "pread" => Kinds.Reading,
        "fsync" when name == _log => Kinds.FlushingFolder,
        "fsync" => IsState(name) ? Kinds.FlushingState : Kinds.FlushingSegment,
        "fallocate" => Kinds.Allocating,
        "fcntl" => Kinds.Locking,
        "getdents64" => Kinds.Listing,
        "pwrite" => IsState(name) ? Kinds.WritingState : Kinds.WritingSegment,
        _ => Kinds.None,
    };

    private static bool IsOfLog(Thread thread) => thread.Name?.StartsWith("Sluice log ", StringComparison.Ordinal) == true;

    private static bool IsState(string name) => Path.GetFileName(name).StartsWith(LogFolder.StateName, StringComparison.Ordinal);

    private static string NameOf(int fd)
    {
        try
        {
            return fd < 0 ? "" : new FileInfo($"/proc/self/fd/{fd}").LinkTarget ?? "";
        }
        catch (IOException)
        {
            // Of another thread, and closed since.
            return "";
        }
    }
}
