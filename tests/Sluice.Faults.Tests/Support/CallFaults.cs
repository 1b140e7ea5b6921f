using Sluice.Faults.Child.Support;
using Sluice.Uring;

namespace Sluice.Faults.Tests.Support;

/// <summary>
/// Counts the system calls of the library while it lives, and lets one of them fail or end early: the n-th, with one of the answers that
/// such a call may well give. Memory and the ring itself are left alone.
/// </summary>
internal sealed class CallFaults : IDisposable
{
    public const int EPERM = 1;
    public const int EINTR = 4;
    public const int EIO = 5;
    public const int EAGAIN = 11;
    public const int EACCES = 13;
    public const int EXDEV = 18;
    public const int EINVAL = 22;
    public const int EMFILE = 24;
    public const int ENOTTY = 25;
    public const int ENOSPC = 28;
    public const int EROFS = 30;
    public const int EOPNOTSUPP = 95;

    private readonly Lock _lock = new();
    private readonly List<string> _calls = [];
    private readonly int _at;
    private readonly int _kind;
    private readonly Func<string, bool> _counts;
    private string? _lasting;
    private long _lastingAnswer;

    /// <param name="at">Which call, from 0; -1 for none.</param>
    /// <param name="kind">Which of the answers of that call.</param>
    /// <param name="counts">Which calls are counted, by name; null for all.</param>
    public CallFaults(int at = -1, int kind = 0, Func<string, bool>? counts = null)
    {
        _at = at;
        _kind = kind;
        _counts = counts ?? (static _ => true);
        SystemCallFaults.Use(OnCall);
    }

    /// <summary>The calls that were made, in their order.</summary>
    public IReadOnlyList<string> Calls
    {
        get
        {
            lock (_lock)
            {
                return [.. _calls];
            }
        }
    }

    /// <summary>What was done to which call; null where the call was never made, or has no more kinds of answers.</summary>
    public string? Struck { get; private set; }

    /// <summary>The call in question had this many kinds of answers; 0 where it was never made.</summary>
    public int Kinds { get; private set; }

    /// <summary>Whether nobody should notice: the call was cut short, or interrupted.</summary>
    public bool MustBeHidden { get; private set; }

    /// <summary>Whether what was made cannot be removed: no folder can be opened any more, or removing is what fails.</summary>
    public bool PreventsCleaning { get; private set; }

    /// <summary>Whether the caller must hear of it: what it wrote may not be on the disk.</summary>
    public bool MustBeSeen { get; private set; }

    /// <summary>Whether the answer says that the file system, or the kernel, does not know the call.</summary>
    public bool MeansUnsupported { get; private set; }

    public void Dispose() => SystemCallFaults.Use(null);

    /// <summary>What a call may answer instead; a second member that is true makes all later calls of its name answer so too.</summary>
    private static List<(long Answer, bool Lasts)> AnswersOf(string call, int fd, long length)
    {
        List<(long, bool)> answers = call switch
        {
            "pread" or "read" or "ring Read" or "ring ReadV" => [(-EIO, false), (-EINTR, false)],
            "preadv2" or "preadv" => [(-EIO, false), (-EINTR, false), (-EAGAIN, false), (-EOPNOTSUPP, true)],
            "pwrite" or "write" or "ring Write" or "ring WriteV" => [(-EIO, false), (-ENOSPC, true), (-EINTR, false)],
            "pwritev2" or "pwritev" => [(-EIO, false), (-ENOSPC, true), (-EINTR, false), (-EOPNOTSUPP, true)],
            "openat" or "openat2" or "open" or "ring OpenAt" => [(-EMFILE, false), (-EACCES, false), (-EINTR, false), (-EMFILE, true)],
            "fsync" or "ring Fsync" => [(-EIO, true), (-ENOSPC, false), (-EINTR, false), (-EROFS, true)],
            "syncfs" => [(-EIO, false)],
            "close" => [(-EIO, true), (-EINTR, false)],
            "ftruncate" => [(-EIO, false), (-ENOSPC, false), (-EINTR, false)],
            "fallocate" => [(-ENOSPC, false), (-EOPNOTSUPP, true), (-EINTR, false)],
            "renameat" or "renameat2" or "linkat" or "symlinkat" or "mkdirat" or "mknodat" =>
                [(-EIO, false), (-ENOSPC, false), (-EACCES, true)],
            "unlinkat" => [(-EIO, false), (-EACCES, false)],
            "fchmod" or "fchmodat" or "fchownat" or "futimens" or "utimensat" => [(-EPERM, false), (-EIO, false)],
            "fcntl" => [(-EINVAL, false)],
            "flock" => [(-EAGAIN, false)],
            "ioctl" => [(-ENOTTY, true), (-EIO, false)],
            "getdents64" => [(-EIO, false), (-EINTR, false)],
            "copy_file_range" => [(-EIO, false), (-ENOSPC, true), (-EXDEV, true), (-EINVAL, true), (-EOPNOTSUPP, true), (-EINTR, false)],
            "fgetxattr" or "flistxattr" or "fremovexattr" => [(-EOPNOTSUPP, true), (-EIO, false)],
            "fsetxattr" => [(-ENOSPC, false), (-EOPNOTSUPP, true), (-EPERM, false)],
            "lseek SEEK_DATA" or "lseek SEEK_HOLE" => [(-EINVAL, true)],
            "statx" or "statmount" or "fstat" or "fstatfs" or "fstatvfs" or "readlinkat" or "faccessat2" => [(-EIO, false)],
            "posix_fadvise" or "sync_file_range" => [(-EIO, true)],
            _ => [],
        };
        // What is open for direct I/O ends early between two blocks only.
        long half = Native.IsDirect(fd) ? length / 2 & ~511L : length / 2;
        if (half > 0)
        {
            answers.Add((half, false));
            answers.Add((Native.IsDirect(fd) ? 512 : 1, false));
        }

        return answers;
    }

    private long OnCall(string call, int fd, long length)
    {
        if (call is "io_uring_enter" or "io_uring_setup" or "io_uring_register" or "mmap" or "madvise" || !_counts(call))
        {
            return 0;
        }

        lock (_lock)
        {
            _calls.Add(call);
            if (_lasting == call)
            {
                return _lastingAnswer;
            }

            if (_calls.Count - 1 != _at)
            {
                return 0;
            }

            List<(long Answer, bool Lasts)> answers = AnswersOf(call, fd, length);
            Kinds = answers.Count;
            if (_kind >= answers.Count)
            {
                return 0;
            }

            (long answer, bool lasts) = answers[_kind];
            Struck = $"{call} (call {_at}) {(answer < 0 ? $"errno {-answer}" : $"{answer} of {length}")}{(lasts ? " for good" : "")}";
            MustBeHidden = answer > 0 || answer == -EINTR;
            PreventsCleaning = call == "unlinkat" || (lasts && call.StartsWith("openat", StringComparison.Ordinal));
            MustBeSeen = (call is "fsync" or "ring Fsync" or "syncfs" or "close") && (answer is -EIO or -ENOSPC or -EROFS);
            MeansUnsupported = answer is -EOPNOTSUPP or -ENOTTY;
            _lasting = lasts ? call : null;
            _lastingAnswer = answer;
            return answer;
        }
    }
}
