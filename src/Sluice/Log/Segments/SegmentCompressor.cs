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
    private readonly Func<HashSet<string>, bool> _compressNext;
    private readonly Action<Exception> _noteError;
    private readonly LogWorker _worker;

    /// <summary>The files that the current round has tried.</summary>
    private readonly HashSet<string> _tried = new(StringComparer.Ordinal);
    private bool _ends;

    /// <param name="folder">The log's folder.</param>
    /// <param name="settings">The options of the log.</param>
    /// <param name="compressNext">Compresses a file that is not in the set and adds it; returns false if there is none.</param>
    /// <param name="noteError">Called with the error of a file that could not be compressed.</param>
    public SegmentCompressor(
        LogFolder folder, SluiceLogOptions settings, Func<HashSet<string>, bool> compressNext, Action<Exception> noteError)
    {
        (_folder, _settings, _compressNext, _noteError) = (folder, settings, compressNext, noteError);
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

    /// <summary>Writes a compressed copy under a temporary name, flushes it and reads it back.</summary>
    /// <param name="source">A file that no process writes to.</param>
    /// <param name="path">The path of that file.</param>
    /// <returns>False if the file is empty or the log is being closed.</returns>
    public bool TryMakeCopy(SluiceHandle source, string path)
    {
        string unfinished = path + SegmentNames.Compressing;
        if (source.Length == 0)
        {
            return false;
        }

        Tell("begin");
        _folder.Delete(unfinished);
        bool isWhole = false;
        try
        {
            // Nobody else may read the copy before it has the permissions of the original.
            const UnixFileMode own = UnixFileMode.UserRead | UnixFileMode.UserWrite;
            using SluiceHandle target = _folder.Open(unfinished, FileMode.CreateNew, FileAccess.ReadWrite, _settings, own);
            if (!TryCompress(source, target))
            {
                return false;
            }

            TakeOver(source, target);
            Tell("written");
            LogFile.Flush(target, _settings);
            Tell("flushed");
            isWhole = HasContentOf(target, source)
                ? true : throw new IOException($"Compressing '{source.Path}' failed: the copy does not decompress to the original.");
            return isWhole;
        }
        finally
        {
            if (!isWhole)
            {
                _folder.TryDelete(unfinished);
            }
        }
    }

    /// <summary>Returns true if a compressed file decompresses to the content of another file.</summary>
    public static bool HasContentOf(SluiceHandle compressed, SluiceHandle original)
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

    /// <summary>Renames the temporary copy to its final name.</summary>
    public void Name(string path)
    {
        Tell("name");
        _folder.Rename(path + SegmentNames.Compressing, path + SegmentNames.Compressed);
        Tell("named");
    }

    /// <summary>Makes the name of the copy durable and then removes the original.</summary>
    public void RemoveOriginal(string path)
    {
        _folder.FlushToDisk();
        Tell("remove");
        _folder.Delete(path);
        Tell("removed");
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

        using OpenFile.Reference from = source.Hold();
        using OpenFile.Reference to = target.Hold();
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

    private void Tell(string step) => _settings.CompressionStep?.Invoke(step);

    private void Round(bool asked)
    {
        _tried.Clear();
        while (!Volatile.Read(ref _ends))
        {
            try
            {
                if (!_compressNext(_tried))
                {
                    return;
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
        }
    }

    /// <summary>Opens a stream that reads or writes a file once, from its start, and leaves it open.</summary>
    private static FileStream StreamOf(SluiceHandle file, FileAccess access) => new(file.SafeFileHandle, access, bufferSize: 0);
}
