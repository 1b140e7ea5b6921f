using Sluice.Errors;
using Sluice.Kernel;
using Sluice.Uring;
using Sluice.Uring.Abi;

namespace Sluice.Log.Folders;

/// <summary>
/// Ensures that a framed log has only one writer. On Linux, the writer locks log.lock, which only the owner of this file can open, so that
/// no other user can prevent writers from opening the log. It also locks each segment that it may still write to, so that deleting log.lock
/// does not admit a second writer.
/// </summary>
internal sealed class WriterLock : IDisposable
{
    private const UnixFileMode OwnerOnly = UnixFileMode.UserRead | UnixFileMode.UserWrite;

    private readonly SluiceHandle _lockFile;
    private readonly SluiceHandle _file;

    private WriterLock(SluiceHandle lockFile, SluiceHandle file)
    {
        (_lockFile, _file) = (lockFile, file);
        try
        {
            State = LogState.TryRead(file, out _);
        }
        catch
        {
            LogFile.TryClose(file);
            throw;
        }
    }

    /// <summary>The content of log.state; null if there is none.</summary>
    public LogState? State { get; private set; }

    /// <summary>Locks a log for this writer and opens log.state.</summary>
    /// <param name="folder">The log's folder.</param>
    /// <param name="permissions">The permissions of log.state; null for the default of .NET.</param>
    /// <exception cref="IOException">Another writer has the log.</exception>
    public static WriterLock Take(LogFolder folder, UnixFileMode? permissions)
    {
        string path = Path.Combine(folder.Path, LogFolder.StateName);
        SluiceHandle lockFile = Libc.IsSupported ? OpenLocked(folder) : OpenUnshared(folder);
        try
        {
            return new WriterLock(lockFile, folder.Open(path, FileMode.OpenOrCreate, FileAccess.ReadWrite, permissions: permissions));
        }
        catch
        {
            LogFile.TryClose(lockFile);
            throw;
        }
    }

    /// <summary>Locks a segment until it is closed. Does nothing on operating systems other than Linux.</summary>
    /// <param name="directory">The folder, for messages.</param>
    /// <param name="segment">The file. It must be open for writing if <paramref name="alone"/> is true.</param>
    /// <param name="alone">True if this writer may write to the segment; false to ensure only that no other writer does.</param>
    /// <exception cref="IOException">Another writer has the segment, or it cannot be locked.</exception>
    public static void TakeSegment(string directory, SluiceHandle segment, bool alone = true)
    {
        int result = !Libc.IsSupported ? 0 : alone ? LogFile.LockBesideReaders(segment) : LogFile.LockNow(segment, alone: false);
        if (result is -Errno.EAGAIN or -Errno.EACCES)
        {
            throw Refusal(directory, null);
        }

        PathErrors.ThrowIfFailed(result, "Locking", segment.Path);
    }

    /// <summary>Creates the exception for a log that another writer has open.</summary>
    public static IOException Refusal(string directory, Exception? inner)
    {
        string by = LogState.TryRead(Path.Combine(directory, LogFolder.StateName)) is { } state
            ? $" (process {state.ProcessId} wrote to it last)"
            : "";
        return new IOException(
            $"Opening the log '{directory}' failed: another writer has it{by}. A log has one writer; readers need no lock.", inner);
    }

    /// <summary>Writes log.state. Called by one thread at a time.</summary>
    /// <param name="settings">The options with the default durability.</param>
    /// <param name="logId">The log's id.</param>
    /// <param name="durable">The last sequence number that is known to be on the disk.</param>
    /// <param name="largestId">The largest id that a segment has had.</param>
    public void Write(SluiceLogOptions settings, Guid logId, long durable, long largestId)
    {
        LogState state = new(settings.Durability, logId, durable, Environment.ProcessId, LogState.CurrentBoot, largestId);
        State = state;
        state.Write(_file);
    }

    public void Flush(SluiceLogOptions settings) => LogFile.FlushData(_file, settings);

    public void Dispose()
    {
        try
        {
            LogFile.Close(_file);
        }
        finally
        {
            LogFile.TryClose(_lockFile);
        }
    }

    /// <summary>Opens and locks log.lock, which only its owner can open.</summary>
    private static SluiceHandle OpenLocked(LogFolder folder)
    {
        string path = Path.Combine(folder.Path, LogFolder.LockName);
        SluiceHandle file = folder.Open(path, FileMode.OpenOrCreate, FileAccess.ReadWrite, permissions: OwnerOnly);
        try
        {
            int result = LogFile.LockNow(file, alone: true);
            if (result is -Errno.EAGAIN or -Errno.EACCES)
            {
                throw Refusal(folder.Path, null);
            }

            PathErrors.ThrowIfFailed(result, "Locking", path);
            using OpenFile.Reference reference = file.TakeReference();
            if (Environment.IsPrivilegedProcess
                && folder.TryLook(out Statx owner)
                && Libc.Stat(file.Descriptor, StatxMask.BasicStats, out Statx own) == 0
                && own is { NLink: 1, Size: 0 }
                && own.Uid != owner.Uid)
            {
                // A lock file that an administrator's process has created is given to the owner of the folder, who must be able to open it.
                // The checks of NLink and Size exclude another file of the administrator to which the owner has made a hard link.
                _ = NodeCalls.SetOwner(file.Descriptor, owner.Uid, owner.Gid);
            }

            return file;
        }
        catch
        {
            file.Dispose();
            throw;
        }
    }

    /// <summary>Opens log.lock on operating systems other than Linux, where its sharing mode is the lock. Only Windows enforces it.</summary>
    private static SluiceHandle OpenUnshared(LogFolder folder)
    {
        SluiceOptions options = new()
        {
            Mode = FileMode.OpenOrCreate,
            Access = FileAccess.ReadWrite,
            Share = FileShare.None,
            UnixCreateMode = OperatingSystem.IsWindows() ? null : OwnerOnly,
        };
        try
        {
            return SluiceHandle.Open(Path.Combine(folder.Path, LogFolder.LockName), options);
        }
        catch (IOException e) when (e.GetType() == typeof(IOException))
        {
            throw Refusal(folder.Path, e);
        }
    }
}
