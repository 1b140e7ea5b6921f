using Microsoft.Win32.SafeHandles;
using Sluice.Errors;
using Sluice.Kernel;
using Sluice.Uring;
using Sluice.Uring.Abi;

namespace Sluice.Log.Folders;

/// <summary>
/// Makes a process the only writer of a framed log. On Linux it locks log.lock, which only its owner can open, so that nobody else can keep
/// the writer out. It also locks log.state and each segment that it may still write to, beside readers, so that removing log.lock admits no
/// second writer. A writer does not write to another directory that has taken the place of the log's.
/// </summary>
internal sealed class WriterLock : IDisposable
{
    private readonly string _directory;
    private readonly string _path;
    private readonly Statx _stat;
    private readonly UnixFileMode? _permissions;

    /// <summary>Held by whoever makes log.state again; taken before <see cref="_lock"/>, and held while a lock is waited for.</summary>
    private readonly Lock _confirming = new();

    /// <summary>Guards <see cref="_file"/> and <see cref="_last"/>; held for no sync and no wait.</summary>
    private readonly Lock _lock = new();
    private SluiceHandle _file;
    private LogState? _last;
    private readonly SluiceHandle? _lockFile;

    private WriterLock(
        string directory, SafeFileHandle? folder, in Statx stat, SluiceHandle file, UnixFileMode? permissions, SluiceHandle? lockFile)
    {
        (_directory, _path, Folder, _stat, _file, _permissions) = (directory, file.Path, folder, stat, file, permissions);
        _lockFile = lockFile;
        try
        {
            _last = StateOf(file);
        }
        catch
        {
            LogFile.TryClose(file);
            throw;
        }
    }

    /// <summary>
    /// How often, 2 ms apart, a lock is asked for that another process has while it only looks at the log: as long as it takes to read the
    /// headers.
    /// </summary>
    internal static int Tries { get; set; } = 2500;

    /// <summary>The folder in which the state was locked, open; null elsewhere than on Linux.</summary>
    public SafeFileHandle? Folder { get; }

    /// <summary>What the file says; null where it says nothing.</summary>
    public LogState? State
    {
        get
        {
            lock (_lock)
            {
                return _last;
            }
        }
    }

    /// <summary>Opens the state file and locks it for the one writer.</summary>
    /// <param name="directory">The log's folder.</param>
    /// <param name="permissions">Of the file, where it is made, now or again; null for .NET's own.</param>
    /// <exception cref="IOException">Another writer has it.</exception>
    public static WriterLock Take(string directory, UnixFileMode? permissions)
    {
        string path = Path.Combine(directory, LogFolder.StateName);
        if (!Libc.IsSupported)
        {
            return new WriterLock(directory, null, default, OpenUnshared(directory, path, permissions), permissions, null);
        }

        int fd = PathCalls.Open(PathCalls.ToKernel(directory), PathCalls.ReadOnly | PathCalls.DirectoryFlag);
        PathErrors.ThrowIfFailed(fd, "Opening", directory);
        SafeFileHandle folder = new(fd, ownsHandle: true);
        SluiceHandle? lockFile = null;
        try
        {
            PathErrors.ThrowIfFailed(Libc.Stat(fd, StatxMask.BasicStats, out Statx stat), "Opening", directory);
            lockFile = OpenOwn(folder, directory, stat);
            SluiceHandle file = OpenLocked(folder, directory, path, permissions, "Opening", tries: 1);
            return new WriterLock(directory, folder, stat, file, permissions, lockFile);
        }
        catch
        {
            LogFile.TryClose(lockFile);
            folder.Dispose();
            throw;
        }
    }

    /// <summary>The descriptor of an open folder; the caller holds that.</summary>
    public static int DescriptorOf(SafeFileHandle folder) => (int)folder.DangerousGetHandle();

    /// <summary>Locks a segment for as long as it is open.</summary>
    /// <param name="directory">The folder, for messages.</param>
    /// <param name="segment">The file; open for writing where it is to be locked alone.</param>
    /// <param name="alone">Whether it may be written to; else it is only seen to that nobody does.</param>
    /// <exception cref="IOException">Another writer has it, or it cannot be locked.</exception>
    public static void TakeSegment(string directory, SluiceHandle segment, bool alone = true)
    {
        int result = !Libc.IsSupported ? 0 : alone ? LogFile.LockBesideReaders(segment) : LogFile.LockNow(segment, alone: false);
        if (result is -Errno.EAGAIN or -Errno.EACCES)
        {
            throw Refusal(directory, "Opening", null);
        }

        PathErrors.ThrowIfFailed(result, "Locking", segment.Path);
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
        lock (_lock)
        {
            _last = state;
            state.Write(_file);
        }
    }

    public void Flush(LogSettings settings)
    {
        SluiceHandle file;
        do
        {
            lock (_lock)
            {
                file = _file;
            }

            try
            {
                LogFile.FlushData(file, settings);
                return;
            }
            catch (ObjectDisposedException) when (WasExchanged(file))
            {
                // Another file has its place, which has what was last written.
            }
        }
        while (true);
    }

    /// <summary>
    /// Before files are made or removed by their names: whether the folder is still the log's. A log.state that was removed is made again.
    /// </summary>
    /// <exception cref="IOException">The folder is gone, or has become another log's or another writer's.</exception>
    public void Confirm()
    {
        using Lock.Scope scope = _confirming.EnterScope();
        SluiceHandle old = _file;
        bool hasName = false;
        int looked = Folder is null ? 0 : LogFile.LookForName(old, NodePath.Of(old.Path), out hasName);
        if (Folder is null || hasName)
        {
            return;
        }

        int result = NodeCalls.Stat(PathCalls.ToKernel(_directory), followsLinks: true, StatxMask.BasicStats, out Statx there);
        if (result is not -Errno.ENOENT and not -Errno.ENOTDIR and not -Errno.EACCES)
        {
            PathErrors.ThrowIfFailed(result, "Looking at", _directory);
        }

        if (result != 0 || !there.IsSame(_stat))
        {
            throw new IOException($"Writing to the log '{_directory}' failed: the folder was moved away or removed.");
        }

        // Where the file may have its name still, its own lock would be taken for another writer's.
        PathErrors.ThrowIfFailed(looked, "Looking at", _path);
        SluiceHandle file = OpenLocked(Folder, _directory, _path, _permissions, "Writing to", Tries);
        try
        {
            LogState? found = StateOf(file);
            lock (_lock)
            {
                if (found is { } other && other.LogId != _last?.LogId)
                {
                    throw new IOException($"Writing to the log '{_directory}' failed: the folder has become another log's.");
                }

                _last?.Write(file);
                _file = file;
            }
        }
        catch
        {
            LogFile.TryClose(file);
            throw;
        }

        LogFile.Close(old);
    }

    public void Dispose()
    {
        try
        {
            LogFile.Close(_file);
        }
        finally
        {
            LogFile.TryClose(_lockFile);
            Folder?.Dispose();
        }
    }

    private bool WasExchanged(SluiceHandle file)
    {
        lock (_lock)
        {
            return file != _file;
        }
    }

    private static LogState? StateOf(SluiceHandle file) => LogState.TryRead(file, static damage => throw damage);

    /// <summary>Opens and locks the file that only its owner can open.</summary>
    private static SluiceHandle OpenOwn(SafeFileHandle folder, string directory, in Statx stat)
    {
        const UnixFileMode ownerOnly = UnixFileMode.UserRead | UnixFileMode.UserWrite;
        using OpenFile.Reference held = new(folder);
        string path = Path.Combine(directory, LogFolder.LockName);
        NodePath node = NodePath.In(DescriptorOf(folder), PathCalls.ToKernel(LogFolder.LockName), directory);
        SluiceHandle file = LogFile.Open(node, path, FileMode.OpenOrCreate, FileAccess.ReadWrite, permissions: ownerOnly);
        try
        {
            int result = LogFile.LockNow(file, alone: true);
            if (result is -Errno.EAGAIN or -Errno.EACCES)
            {
                throw Refusal(directory, "Opening", null);
            }

            PathErrors.ThrowIfFailed(result, "Locking", path);
            using OpenFile.Reference reference = file.Hold();
            if (Environment.IsPrivilegedProcess
                && Libc.Stat(file.Descriptor, StatxMask.BasicStats, out Statx own) == 0
                && own.Uid != stat.Uid)
            {
                // An administrator's tool must not lock the log's own user out.
                _ = NodeCalls.SetOwner(file.Descriptor, stat.Uid, stat.Gid);
            }

            return file;
        }
        catch
        {
            file.Dispose();
            throw;
        }
    }

    private static SluiceHandle OpenLocked(
        SafeFileHandle folder, string directory, string path, UnixFileMode? permissions, string what, int tries)
    {
        using OpenFile.Reference held = new(folder);
        NodePath node = NodePath.In(DescriptorOf(folder), PathCalls.ToKernel(LogFolder.StateName), directory);
        SluiceHandle file = LogFile.Open(node, path, FileMode.OpenOrCreate, FileAccess.ReadWrite, permissions: permissions);
        try
        {
            int result;
            while ((result = LogFile.LockBesideReaders(file)) is -Errno.EAGAIN or -Errno.EACCES)
            {
                if (--tries <= 0)
                {
                    throw Refusal(directory, what, null);
                }

                Thread.Sleep(2);
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
    private static SluiceHandle OpenUnshared(string directory, string path, UnixFileMode? permissions)
    {
        FileShare share = OperatingSystem.IsWindows() ? FileShare.Read : FileShare.None;
        try
        {
            return SluiceHandle.Open(path, new SluiceOptions
            {
                Mode = FileMode.OpenOrCreate,
                Access = FileAccess.ReadWrite,
                Share = share,
                UnixCreateMode = permissions,
            });
        }
        catch (IOException e) when (e.GetType() == typeof(IOException))
        {
            throw Refusal(directory, "Opening", e);
        }
    }
}
