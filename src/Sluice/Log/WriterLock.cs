using Sluice.Errors;
using Sluice.Kernel;
using Sluice.Memory;
using Sluice.Uring;
using Sluice.Uring.Abi;

namespace Sluice.Log;

/// <summary>
/// What makes a framed log one writer's: a lock on log.state, and on Linux one on each segment that its writer may still write to. So
/// whoever removes log.state lets nobody in; and whoever has another folder in the place of the log's is not written to.
/// </summary>
internal sealed class WriterLock : IDisposable
{
    private readonly string _directory;
    private readonly string _path;
    private readonly Statx _folder;

    /// <summary>Guards <see cref="_file"/> and <see cref="_last"/>.</summary>
    private readonly Lock _lock = new();
    private SluiceHandle _file;
    private LogState? _last;

    private WriterLock(string directory, SluiceHandle file)
    {
        (_directory, _path, _file, _last) = (directory, file.Path, file, LogState.TryRead(file));
        _ = NodeCalls.TryStat(directory, out _folder);
    }

    /// <summary>What the file says; null where it says nothing.</summary>
    public LogState? State
    {
        get
        {
            using (_lock.EnterUninterrupted())
            {
                return _last;
            }
        }
    }

    /// <summary>Opens the state file and locks it for the one writer.</summary>
    /// <exception cref="IOException">Another writer has it.</exception>
    public static WriterLock Take(string directory)
    {
        string path = Path.Combine(directory, LogFolder.StateName);
        if (!Libc.IsSupported)
        {
            return new WriterLock(directory, OpenUnshared(directory, path));
        }

        return new WriterLock(directory, OpenLocked(directory, path, "Opening"));
    }

    /// <summary>Locks a segment for as long as it is open. Where files cannot be locked, log.state's lock must do.</summary>
    /// <exception cref="IOException">Another writer has it.</exception>
    public static void TakeSegment(string directory, SluiceHandle segment)
    {
        if (Libc.IsSupported && LogFile.LockNow(segment, alone: true) is -Errno.EAGAIN or -Errno.EACCES)
        {
            throw Refusal(directory, "Opening", null);
        }
    }

    /// <summary>There is another writer, or has been one while this one looked at the log.</summary>
    public static IOException Refusal(string directory, string what, Exception? inner)
    {
        string by = LogState.TryRead(Path.Combine(directory, LogFolder.StateName)) is { } state
            ? $" (process {state.ProcessId} wrote to it last)"
            : "";
        return new IOException(
            $"{what} the log '{directory}' failed: another writer has it{by}. A log has one writer; readers need no lock.", inner);
    }

    public void Write(LogState state)
    {
        using (_lock.EnterUninterrupted())
        {
            _last = state;
            state.Write(_file);
        }
    }

    public void Flush(LogSettings settings)
    {
        using (_lock.EnterUninterrupted())
        {
            LogFile.FlushData(_file, settings);
        }
    }

    /// <summary>
    /// Before files are made or removed by their names: whether the folder is still the log's. A log.state that was removed is made again.
    /// </summary>
    /// <exception cref="IOException">The folder is gone, or has become another log's or another writer's.</exception>
    public void Confirm()
    {
        using Lock.Scope scope = _lock.EnterUninterrupted();
        if (!Libc.IsSupported || LogFile.HasName(_file))
        {
            return;
        }

        if (!NodeCalls.TryStat(_directory, out Statx folder) || !folder.IsSame(_folder))
        {
            throw new IOException($"Writing to the log '{_directory}' failed: the folder was moved away or removed.");
        }

        SluiceHandle file = OpenLocked(_directory, _path, "Writing to");
        try
        {
            if (LogState.TryRead(file) is { } found && found.LogId != _last?.LogId)
            {
                throw new IOException($"Writing to the log '{_directory}' failed: the folder has become another log's.");
            }

            _last?.Write(file);
        }
        catch
        {
            Close(file);
            throw;
        }

        Close(_file);
        _file = file;
    }

    public void Dispose() => Close(_file);

    private static void Close(SluiceHandle file)
    {
        LogFile.Unlock(file);
        file.Dispose();
    }

    private static SluiceHandle OpenLocked(string directory, string path, string what)
    {
        SluiceHandle file = LogFile.Open(path, FileMode.OpenOrCreate, FileAccess.ReadWrite);
        try
        {
            int result = LogFile.LockNow(file, alone: true);
            if (result is -Errno.EAGAIN or -Errno.EACCES)
            {
                throw Refusal(directory, what, null);
            }

            PathErrors.ThrowIfFailed(result, "Locking", path);
            return file;
        }
        catch
        {
            file.Dispose();
            throw;
        }
    }

    /// <summary>Elsewhere than on Linux the sharing mode is the lock, which Windows enforces and others advise.</summary>
    private static SluiceHandle OpenUnshared(string directory, string path)
    {
        FileShare share = OperatingSystem.IsWindows() ? FileShare.Read : FileShare.None;
        try
        {
            return SluiceHandle.Open(path, FileMode.OpenOrCreate, FileAccess.ReadWrite, share);
        }
        catch (IOException e) when (e.GetType() == typeof(IOException))
        {
            throw Refusal(directory, "Opening", e);
        }
    }
}
