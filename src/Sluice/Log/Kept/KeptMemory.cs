using System.Buffers.Binary;
using System.Runtime.InteropServices;
using Sluice.Errors;
using Sluice.Kernel;
using Sluice.Log.Folders;
using Sluice.Log.Frames;
using Sluice.Memory;
using Sluice.Uring;
using Sluice.Uring.Abi;

namespace Sluice.Log.Kept;

/// <summary>
/// A log's memory that outlives the process (<see cref="LogMemory.Shared"/>): its pages, what says which of their records are whole, and
/// the file log.memory by which the next writer finds it; docs/log-format.md has both. The log's threads leave it readable wherever the
/// process is killed, and nobody reads it before that process has ended.
/// </summary>
internal sealed class KeptMemory
{
    private const string FileName = "log.memory";
    private const byte Version = 1;
    private const int KeyTries = 16;

    private readonly LogFolder _folder;
    private readonly SluiceHandle _file;
    private readonly SharedMemory? _memory;
    private MemoryMark _mark;

    private KeptMemory(LogFolder folder, SluiceHandle file, in MemoryMark mark, SharedMemory? memory, KeptPage[] pages)
    {
        (_folder, _file, _mark, _memory, Pages) = (folder, file, mark, memory, pages);
    }

    /// <summary>None where there is nothing that could be restored.</summary>
    public KeptPage[] Pages { get; }

    /// <summary>Of the log whose records these are.</summary>
    public Guid LogId => _mark.LogId;

    private static ReadOnlySpan<byte> Magic => "SLUICEMM"u8;

    /// <summary>Makes memory for a log's pages; null where there is none to be had, with the reason.</summary>
    /// <exception cref="IOException">The file that is to name it cannot be written.</exception>
    /// <exception cref="UnauthorizedAccessException">It may not be written.</exception>
    public static KeptMemory? TryMake(LogFolder folder, LogSettings settings, Guid logId, out string reason)
    {
        MemoryMark mark = new(MemoryStage.Made, logId, default, 0, 0);
        if (!Libc.IsSupported)
        {
            reason = "only Linux has memory that outlives its process";
            return null;
        }

        if (!mark.TryLocate())
        {
            reason = "/proc does not say which boot and which IPC namespace this is";
            return null;
        }

        string path = Path.Combine(folder.Path, FileName);
        folder.Delete(path);
        SluiceHandle file = folder.Open(
            path, FileMode.CreateNew, FileAccess.ReadWrite, settings, UnixFileMode.UserRead | UnixFileMode.UserWrite);
        SharedMemory? memory = null;
        try
        {
            long bytes = KeptPage.TotalBytes(settings.Pages, settings.PageBytes);
            int result = -Errno.EEXIST;
            for (int i = 0; i < KeyTries && result == -Errno.EEXIST; i++)
            {
                // First the name, then what it names: whoever is killed in between leaves no memory that nobody finds.
                mark.ChooseKey();
                mark.Write(file);
                result = SharedMemory.Make(mark.Key, bytes, out memory);
            }

            if (memory is not null)
            {
                result = WriteHeader(file, memory, settings, mark);
                if (result == 0)
                {
                    mark.Stage = MemoryStage.InUse;
                    mark.Write(file);
                    reason = "as asked for";
                    return new KeptMemory(folder, file, mark, memory, PagesOf(memory, settings.Pages, settings.PageBytes));
                }

                reason = $"the next writer could not have it: {WhyNotFound(result)}";
            }
            else
            {
                reason = $"{bytes} bytes of System V shared memory were refused: {PathErrors.Reason(-result)}";
            }
        }
        catch
        {
            Undo();
            throw;
        }

        Undo();
        return null;

        void Undo()
        {
            try
            {
                if (TryRemove(memory))
                {
                    folder.TryDelete(path);
                }
            }
            finally
            {
                memory?.Dispose();
                file.Dispose();
            }
        }
    }

    /// <summary>What the log's last writer left; null where it left nothing.</summary>
    /// <param name="folder">The folder, locked for this writer.</param>
    /// <param name="acceptsLoss">Whether what is not to be had any more is gone on without.</param>
    /// <exception cref="SluiceLogDamagedException">It had memory with records, which is not to be had.</exception>
    /// <exception cref="IOException">It is not to be had for now: this process has no room for it.</exception>
    public static KeptMemory? Find(LogFolder folder, bool acceptsLoss)
    {
        if (!Libc.IsSupported)
        {
            return null;
        }

        string path = Path.Combine(folder.Path, FileName);
        SluiceHandle file;
        try
        {
            file = folder.Open(path, FileMode.Open, FileAccess.ReadWrite);
        }
        catch (FileNotFoundException)
        {
            return null;
        }

        SharedMemory? memory = null;
        KeptPage[] pages = [];
        try
        {
            MemoryMark here = default;
            bool isLocated = here.TryLocate();
            if (!MemoryMark.TryRead(file, out MemoryMark mark) || (isLocated && mark.Boot != here.Boot))
            {
                // Of a machine that has ended since, as its memory has.
                return new KeptMemory(folder, file, mark, null, []);
            }

            // Where nothing says which boot and which namespace this is, it is looked for: who finds it is at the right place.
            string? loss = isLocated && mark.Namespace != here.Namespace
                ? "it is in another IPC namespace (of another container) than this process"
                : Attach(file, mark, out memory, out pages);
            if (loss is null)
            {
                return new KeptMemory(folder, file, mark, memory, pages);
            }

            memory?.Dispose();
            return mark.Stage != MemoryStage.InUse || acceptsLoss ? new KeptMemory(folder, file, mark, null, [])
                : throw new SluiceLogDamagedException(
                    path, -1, 0, $"the log's last writer kept records in shared memory (key {mark.Key:x8}), and {loss}");
        }
        catch
        {
            memory?.Dispose();
            file.Dispose();
            throw;
        }
    }

    /// <summary>Everything is in the files: it is removed. Nobody takes a place in its pages any more.</summary>
    /// <exception cref="IOException">The file cannot be written: the memory stays, with no record that the files do not have, and is to be
    /// left (<see cref="Leave"/>).</exception>
    public void End()
    {
        // First, so that who is killed here leaves no name of memory that somebody else would have removed.
        _mark.Stage = MemoryStage.Ended;
        _mark.Write(_file);
        try
        {
            if (TryRemove(_memory) && _folder.Has(_file))
            {
                // Else the name is that of another writer's memory by now, which nobody would find.
                _folder.TryDelete(_file.Path);
            }
        }
        catch
        {
            // Of whatever kind: a file system that has died does not say. The name stays, and says that all of it has ended.
        }
        finally
        {
            _file.Dispose();
            _memory?.Dispose();
        }
    }

    /// <summary>As <see cref="End"/>, but nobody is told where the file cannot be written: the next writer removes both.</summary>
    public void TryEnd()
    {
        try
        {
            End();
        }
        catch
        {
            // Of whatever kind: what is closed with it is closed all the same.
            Leave();
        }
    }

    /// <summary>It stays for the next writer, but where nobody can find it: its file has no name any more. Threads may still be inside
    /// its pages: the collector takes it from the process.</summary>
    public void Leave()
    {
        try
        {
            _ = LogFile.HasNoName(_file) ? _memory?.Remove() : null;
        }
        catch
        {
            // Of whatever kind: a file system that has died does not say. It may be mounted again, and the file be there.
        }
        finally
        {
            _file.Dispose();
        }
    }

    /// <summary>Whether it is gone: where it cannot be removed its name stays, or nobody would find it.</summary>
    private static bool TryRemove(SharedMemory? memory) => memory is null || memory.Remove() is 0 or -Errno.EINVAL;

    /// <summary>Null, or why what the mark names is not to be had. Only what is this log's is given out: it will be removed.</summary>
    private static string? Attach(SluiceHandle file, in MemoryMark mark, out SharedMemory? memory, out KeptPage[] pages)
    {
        pages = [];
        int result = Find(file, mark, out memory, out Statx identity);
        if (result is -Errno.ENOMEM or -Errno.EIO)
        {
            // For now: it is there, and nobody goes on without it.
            throw PathErrors.Create(result, "Attaching the memory of", file.Path);
        }

        if (memory is null)
        {
            return WhyNotFound(result);
        }

        // Where it was being made there is no header yet.
        bool isEmpty = mark.Stage != MemoryStage.InUse && memory.Length >= KeptPage.HeaderBytes
            && BinaryPrimitives.ReadInt64LittleEndian(memory.At(0, KeptPage.HeaderBytes)) == 0;
        if (isEmpty || TryRead(memory, mark, identity, out pages))
        {
            return null;
        }

        memory.Dispose();
        memory = null;
        return "what has that key is not the memory of this log: it is another one's, or this is a copy of the log that has it";
    }

    /// <summary>Finds the memory of a file, as its next writer does; 0, or a negative errno.</summary>
    private static int Find(SluiceHandle file, in MemoryMark mark, out SharedMemory? memory, out Statx identity)
    {
        memory = null;
        using OpenFile.Reference reference = file.Hold();
        int result = Libc.Stat(file.Descriptor, StatxMask.BasicStats | StatxMask.Btime, out identity);
        return result < 0 ? result : SharedMemory.Find(mark.Key, identity.Uid, out memory);
    }

    private static string WhyNotFound(int result) => result switch
    {
        -Errno.ENOENT => "it is not there any more: somebody has removed it, or the container that had it has ended",
        -Errno.EACCES => "it is another user's than its file, or than this process",
        _ => $"it cannot be had: {PathErrors.Reason(-result)}",
    };

    /// <summary>0, or why the next writer would not find it.</summary>
    private static int WriteHeader(SluiceHandle file, SharedMemory memory, LogSettings settings, in MemoryMark mark)
    {
        int result = Find(file, mark, out SharedMemory? found, out Statx identity);
        found?.Dispose();
        Span<byte> header = memory.At(0, KeptPage.HeaderBytes);
        header[8] = Version;
        BinaryPrimitives.WriteInt32LittleEndian(header[12..], settings.Pages);
        BinaryPrimitives.WriteInt32LittleEndian(header[16..], settings.PageBytes);
        BinaryPrimitives.WriteInt32LittleEndian(header[20..], mark.Key);
        _ = mark.LogId.TryWriteBytes(header[24..], bigEndian: true, out _);
        WriteIdentity(header, identity);

        // Last: who is killed before leaves none that looks like somebody else's.
        Volatile.Write(ref MemoryMarshal.AsRef<long>(header), MemoryMarshal.Read<long>(Magic));
        return result;
    }

    /// <summary>Of the file that names the memory: a copy of the log has another one.</summary>
    private static void WriteIdentity(Span<byte> header, in Statx file)
    {
        BinaryPrimitives.WriteUInt64LittleEndian(header[40..], file.Ino);
        BinaryPrimitives.WriteInt64LittleEndian(header[48..], (file.Mask & StatxMask.Btime) != 0 ? file.Btime.Seconds : 0);
        BinaryPrimitives.WriteUInt32LittleEndian(header[56..], (file.Mask & StatxMask.Btime) != 0 ? file.Btime.Nanoseconds : 0);
    }

    private static bool TryRead(SharedMemory memory, in MemoryMark mark, in Statx file, out KeptPage[] pages)
    {
        pages = [];
        if (memory.Length < KeptPage.HeaderBytes)
        {
            return false;
        }

        Span<byte> identity = stackalloc byte[KeptPage.HeaderBytes];
        WriteIdentity(identity, file);
        ReadOnlySpan<byte> header = memory.At(0, KeptPage.HeaderBytes);
        int count = BinaryPrimitives.ReadInt32LittleEndian(header[12..]);
        int pageBytes = BinaryPrimitives.ReadInt32LittleEndian(header[16..]);
        if (!header[..8].SequenceEqual(Magic)
            || header[8] != Version
            || BinaryPrimitives.ReadInt32LittleEndian(header[20..]) != mark.Key
            || new Guid(header[24..40], bigEndian: true) != mark.LogId
            || !header[40..60].SequenceEqual(identity[40..60])
            || count is <= 0 or > LogSettings.MaxPages
            || pageBytes is <= LogLayout.FrameHeaderBytes or >= LogLayout.MaxFrameBytes
            || KeptPage.TotalBytes(count, pageBytes) > memory.Length)
        {
            return false;
        }

        pages = PagesOf(memory, count, pageBytes);
        return true;
    }

    private static KeptPage[] PagesOf(SharedMemory memory, int pages, int pageBytes) =>
        [.. Enumerable.Range(0, pages).Select(i => new KeptPage(memory, i, pages, pageBytes))];
}
