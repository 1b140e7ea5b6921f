using System.IO.Compression;
using Sluice.Errors;
using Sluice.Handles;
using Sluice.Kernel;
using Sluice.Log.Folders;
using Sluice.Log.Appending;
using Sluice.Uring.Abi;

namespace Sluice.Log.Segments;

/// <summary>
/// Compresses the full files of a raw log with a worker of its own. The copy is flushed and read back before it gets its name, and the
/// original is removed only when that name is on the disk, so that one of the two is always complete.
/// </summary>
internal sealed class SegmentCompressor
{
    private const int BlockBytes = 256 * 1024;

    private readonly LogFolder _folder;
    private readonly SluiceLogOptions _settings;
    private readonly Func<IEnumerable<SegmentEntry>> _full;
    private readonly Action<Exception> _noteError;
    private readonly LogWorker _worker;
    private bool _ends;

    /// <param name="folder">The log's folder.</param>
    /// <param name="settings">The options of the log.</param>
    /// <param name="full">Returns the files that are full.</param>
    /// <param name="noteError">Called with the error of a file that could not be compressed.</param>
    public SegmentCompressor(
        LogFolder folder, SluiceLogOptions settings, Func<IEnumerable<SegmentEntry>> full, Action<Exception> noteError)
    {
        (_folder, _settings, _full, _noteError) = (folder, settings, full, noteError);
        _worker = new LogWorker(Timeout.Infinite, Round, static () => false);
    }

    /// <summary>Requests a round.</summary>
    public void Signal() => _worker.Signal();

    /// <summary>Ends the worker. The file that it is compressing stays as it was.</summary>
    public void End()
    {
        Volatile.Write(ref _ends, true);
        _worker.End();
    }

    /// <summary>
    /// Removes the files that an interrupted compression left, on Linux: an incomplete copy, and a complete copy of a file that still
    /// exists.
    /// </summary>
    public static void RemoveLeftovers(LogFolder folder, SluiceLogOptions settings, IEnumerable<SegmentEntry> full)
    {
        foreach (SegmentEntry entry in full.Where(static e => e.HasUnfinished || e is { HasPlain: true, HasCompressed: true }))
        {
            SluiceHandle? file = null;
            try
            {
                file = entry.HasPlain ? TryOpenAlone(folder, settings, entry.Path) : null;
                if (entry.HasUnfinished && (file is not null || !entry.HasPlain))
                {
                    folder.Delete(entry.UnfinishedPath);
                }

                if (file is not null && entry.HasCompressed && IsCopy(folder, file, entry.CompressedPath))
                {
                    folder.Delete(entry.CompressedPath);
                }
            }
            catch (Exception e) when (e is IOException or UnauthorizedAccessException)
            {
                // The log opens nevertheless, because it does not read this file.
            }
            finally
            {
                LogFile.TryClose(file);
            }
        }
    }

    private static bool IsCopy(LogFolder folder, SluiceHandle file, string compressedPath)
    {
        using SluiceHandle copy = folder.Open(compressedPath, FileMode.Open, FileAccess.Read);
        return File.GetLastWriteTimeUtc(file.SafeFileHandle) == File.GetLastWriteTimeUtc(copy.SafeFileHandle)
            && HasContentOf(copy, file);
    }

    /// <summary>
    /// Opens a file and locks it exclusively until it is disposed. Returns null if the lock is refused, for example because a process
    /// appends to the file, or if another process has removed the file before it was locked.
    /// </summary>
    private static SluiceHandle? TryOpenAlone(LogFolder folder, SluiceLogOptions settings, string path)
    {
        SluiceHandle file = folder.Open(path, FileMode.Open, FileAccess.ReadWrite, settings);
        if (LogFile.LockNow(file, alone: true) == 0 && !LogFile.HasNoName(file, out _))
        {
            return file;
        }

        file.Dispose();
        return null;
    }

    /// <summary>Returns true if a compressed file decompresses to the content of another file.</summary>
    private static bool HasContentOf(SluiceHandle compressed, SluiceHandle original)
    {
        byte[] expected = new byte[BlockBytes];
        byte[] actual = new byte[BlockBytes];
        using GZipStream content = new(StreamOf(compressed, FileAccess.Read), CompressionMode.Decompress, leaveOpen: true);
        try
        {
            int read;
            for (long offset = 0; (read = original.Read(expected, offset)) > 0; offset += read)
            {
                if (content.ReadAtLeast(actual.AsSpan(0, read), read, throwOnEndOfStream: false) < read
                    || !actual.AsSpan(0, read).SequenceEqual(expected.AsSpan(0, read)))
                {
                    return false;
                }
            }

            return content.ReadByte() < 0;
        }
        catch (InvalidDataException)
        {
            return false;
        }
    }

    /// <summary>
    /// Copies owner, access control list, attributes, permissions and time as far as this user may. Linux only. If one of them cannot be
    /// copied, the permissions are reduced.
    /// </summary>
    private static void TakeOver(SluiceHandle source, SluiceHandle target)
    {
        if (!OperatingSystem.IsLinux())
        {
            return;
        }

        using OpenFile.Reference from = source.TakeReference();
        using OpenFile.Reference to = target.TakeReference();
        PathErrors.ThrowIfFailed(Libc.Stat(source.Descriptor, StatxMask.BasicStats, out Statx original), "Looking at", source.Path);
        PathErrors.ThrowIfFailed(Libc.Stat(target.Descriptor, StatxMask.BasicStats, out Statx made), "Looking at", target.Path);
        Exception? refused = NodeMetadata.Preserve(
            source.Descriptor, original, target.Descriptor, made, target.Path, isSameContent: false, reportsOwner: false)
            ?? NodeMetadata.SetTimes(target.Descriptor, original, target.Path);
        if (refused is not null)
        {
            throw refused;
        }
    }

    private bool TryCompress(SluiceHandle source, SluiceHandle target)
    {
        byte[] block = new byte[BlockBytes];
        using GZipStream compressed = new(StreamOf(target, FileAccess.Write), _settings.Compression, leaveOpen: true);
        int read;
        for (long offset = 0; (read = source.Read(block, offset)) > 0; offset += read)
        {
            if (Volatile.Read(ref _ends))
            {
                return false;
            }

            compressed.Write(block.AsSpan(0, read));
        }

        return true;
    }

    private void Round(bool asked)
    {
        try
        {
            foreach (SegmentEntry entry in _full().Where(static e => e is { HasPlain: true, HasCompressed: false }))
            {
                TryReplace(entry);
            }
        }
        catch (Exception e)
        {
            _noteError(e);
        }
    }

    private void TryReplace(SegmentEntry entry)
    {
        SluiceHandle? file = null;
        try
        {
            file = Volatile.Read(ref _ends) ? null : TryOpenAlone(_folder, _settings, entry.Path);
            if (file is { Length: > 0 } && TryMakeCopy(file, entry.UnfinishedPath))
            {
                if (LogFile.HasNoName(file, out _))
                {
                    // Another process has removed the original, because retention does not keep it.
                    _folder.TryDelete(entry.UnfinishedPath);
                    return;
                }

                _folder.Rename(entry.UnfinishedPath, entry.CompressedPath);
                _folder.FlushToDisk();
                _folder.Delete(entry.Path);
            }
        }
        catch (FileNotFoundException)
        {
            // Another process has removed the file.
        }
        catch (Exception e)
        {
            // The file stays as it is; the next round tries again.
            _noteError(e);
        }
        finally
        {
            LogFile.TryClose(file);
        }
    }

    /// <summary>Writes a compressed copy under a temporary name, flushes it and reads it back.</summary>
    /// <returns>False if the log is being closed.</returns>
    private bool TryMakeCopy(SluiceHandle source, string path)
    {
        _folder.Delete(path);
        bool isWhole = false;
        try
        {
            // Nobody else may read the copy before it has the permissions of the original.
            const UnixFileMode own = UnixFileMode.UserRead | UnixFileMode.UserWrite;
            using SluiceHandle target = _folder.Open(path, FileMode.CreateNew, FileAccess.ReadWrite, _settings, own);
            if (!TryCompress(source, target))
            {
                return false;
            }

            TakeOver(source, target);
            LogFile.Flush(target, _settings);
            isWhole = HasContentOf(target, source)
                ? true : throw new IOException($"Compressing '{source.Path}' failed: the copy does not decompress to the original.");
            return isWhole;
        }
        finally
        {
            if (!isWhole)
            {
                _folder.TryDelete(path);
            }
        }
    }

    /// <summary>Opens a stream that reads or writes a file once, from its start, and leaves it open.</summary>
    private static FileStream StreamOf(SluiceHandle file, FileAccess access) => new(file.SafeFileHandle, access, bufferSize: 0);
}
