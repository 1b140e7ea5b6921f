using System.IO.Compression;
using Microsoft.Win32.SafeHandles;
using Sluice.Errors;
using Sluice.Handles;
using Sluice.Kernel;
using Sluice.Log.Folders;
using Sluice.Log.Stages;
using Sluice.Uring.Abi;

namespace Sluice.Log.Segments;

/// <summary>
/// Compresses full segments, one after the other, on a thread of its own. At each moment one file at least has the whole segment: the copy
/// gets its name when it is on the disk and has been read back, and only when the name is on the disk, too, the original goes.
/// </summary>
internal sealed class SegmentCompressor
{
    private const int WritebackBytes = Tuning.LogCompressorWritebackBytes;

    private readonly LogFolder _folder;
    private readonly LogSettings _settings;
    private readonly Func<HashSet<string>, bool> _compressNext;
    private readonly StageThread _thread;

    /// <summary>What a round has tried; of the compressor's own thread.</summary>
    private readonly HashSet<string> _tried = new(StringComparer.Ordinal);
    private bool _ends;

    /// <param name="folder">The log's.</param>
    /// <param name="settings">The options.</param>
    /// <param name="compressNext">Compresses a segment that it has not tried in this round, and notes it; false where there is
    /// none.</param>
    public SegmentCompressor(LogFolder folder, LogSettings settings, Func<HashSet<string>, bool> compressNext)
    {
        (_folder, _settings, _compressNext) = (folder, settings, compressNext);
        _thread = new StageThread("Sluice log compressor", Timeout.Infinite, Round, static () => false);
    }

    /// <summary>Why a segment stays as it is, of the last one that could not be compressed.</summary>
    public NotedError LastError { get; } = new();

    /// <inheritdoc cref="StageThread.IsCurrent"/>
    public bool IsCurrent => _thread.IsCurrent;

    /// <inheritdoc cref="StageThread.Start"/>
    public void Start()
    {
        _thread.Start();
        _thread.Signal();
    }

    /// <summary>Asks for a look at what is full.</summary>
    public void Signal() => _thread.Signal();

    /// <summary>Ends the thread; what it is at is given up, and stays as it was.</summary>
    public void End()
    {
        Volatile.Write(ref _ends, true);
        _thread.End();
    }

    /// <summary>Compresses the oldest sealed segment that was not tried; false where there is none.</summary>
    public bool TryNext(SegmentRetention retention, HashSet<string> tried)
    {
        if (retention.Find(s => s.IsSealed && !s.IsCompressed && s.Copy is null && !tried.Contains(s.Path)) is not { } segment)
        {
            return false;
        }

        string path = segment.Path;
        tried.Add(path);
        _folder.Confirm();
        long? bytes = null;
        using (SluiceHandle file = _folder.Open(path, FileMode.Open, FileAccess.Read))
        {
            // Its footer may not have been written for want of space: such a one is read as far as the next one's first record.
            if (_folder.Names.TryParse(Path.GetFileName(path.AsSpan()), out long id, out _)
                && SegmentInfo.Read(SegmentContent.Of(file), id)?.IsSealed == true)
            {
                bytes = MakeCopy(file, path);
            }
        }

        if (bytes is null)
        {
            return true;
        }

        string copy = path + SegmentNames.Compressed;
        if (!retention.TryChange(path, s => s with { Copy = copy }, () => Name(path, overwrites: true)))
        {
            // It was not to be kept.
            _folder.TryDelete(path + SegmentNames.Compressing);
            return true;
        }

        RemoveOriginal(path);
        _ = retention.TryChange(path, s => s with { Path = copy, Copy = null, Bytes = bytes.Value });
        return true;
    }

    /// <summary>Makes a compressed copy under a name that no segment has, reads it back, and makes it durable.</summary>
    /// <param name="source">What nobody writes any more.</param>
    /// <param name="path">Its name.</param>
    /// <returns>Its size; null where it is not to be compressed, or the log is being closed: then there is none.</returns>
    public long? MakeCopy(SluiceHandle source, string path)
    {
        string unfinished = path + SegmentNames.Compressing;
        long length = source.Length;
        int blockBytes = BlockTable.BlockBytesFor(length);
        if (length == 0 || blockBytes == 0)
        {
            return null;
        }

        Tell("begin");
        _folder.Delete(unfinished);
        bool isWhole = false;
        try
        {
            // Nobody else may read it before it has the permissions of what it is of.
            const UnixFileMode own = UnixFileMode.UserRead | UnixFileMode.UserWrite;
            using SluiceHandle target = _folder.Open(unfinished, FileMode.CreateNew, FileAccess.ReadWrite, _settings, own);
            if (Write(source, target, length, blockBytes) is not { } bytes)
            {
                return null;
            }

            TakeOver(source, target);
            Tell("written");
            LogFile.Flush(target, _settings);
            Tell("flushed");
            isWhole = IsSame(source, length, target, blockBytes);
            return isWhole ? bytes : null;
        }
        finally
        {
            if (!isWhole)
            {
                _folder.TryDelete(unfinished);
            }
        }
    }

    /// <summary>Gives the copy its name.</summary>
    public void Name(string path, bool overwrites)
    {
        Tell("name");
        _folder.Move(path + SegmentNames.Compressing, path + SegmentNames.Compressed, overwrites);
        Tell("named");
    }

    /// <summary>Makes the name of a copy durable, and then removes the original.</summary>
    public void RemoveOriginal(string path)
    {
        _folder.FlushToDisk();
        Tell("remove");
        _folder.Delete(path);
        Tell("removed");
    }

    /// <summary>
    /// Owner, access list, attributes, permissions and time, as far as this user may. What cannot be kept takes with it the rights that
    /// went with it.
    /// </summary>
    private static void TakeOver(SluiceHandle source, SluiceHandle target)
    {
        if (Libc.IsSupported && OperatingSystem.IsLinux())
        {
            using OpenFile.Reference from = source.Hold();
            using OpenFile.Reference to = target.Hold();
            PathErrors.ThrowIfFailed(Libc.Stat(source.Descriptor, StatxMask.BasicStats, out Statx original), "Looking at", source.Path);
            NodeMetadata.Preserve(source.Descriptor, original, target.Descriptor, target.Path, isSameContent: false);
            return;
        }

        SafeFileHandle file = source.SafeFileHandle;
        if (!OperatingSystem.IsWindows())
        {
            File.SetUnixFileMode(target.SafeFileHandle, File.GetUnixFileMode(file));
        }

        File.SetLastWriteTimeUtc(target.SafeFileHandle, File.GetLastWriteTimeUtc(file));
    }

    private static bool IsSame(SluiceHandle source, long length, SluiceHandle target, int blockBytes)
    {
        using SegmentContent copy = SegmentContent.OfCompressed(target);
        byte[] written = new byte[(int)Math.Min(blockBytes, length)];
        byte[] read = new byte[written.Length];
        for (long at = 0; at < length; at += blockBytes)
        {
            int bytes = (int)Math.Min(blockBytes, length - at);
            if (source.Read(written.AsSpan(0, bytes), at) < bytes
                || copy.Read(read.AsSpan(0, bytes), at) < bytes
                || !written.AsSpan(0, bytes).SequenceEqual(read.AsSpan(0, bytes)))
            {
                throw new IOException($"Compressing '{source.Path}' failed: the copy is not read back as what it is of.");
            }
        }

        return copy.Length == length && source.Length == length;
    }

    private static void StartWriteback(SluiceHandle file, long offset, long length)
    {
        if (Libc.IsSupported)
        {
            // Little by little: a sync of the log's own would wait for what has gathered.
            using OpenFile.Reference reference = file.Hold();
            CacheCalls.StartWriteback(file.Descriptor, offset, length);
        }
    }

    /// <summary>Blocks and table; null where the log is being closed.</summary>
    private long? Write(SluiceHandle source, SluiceHandle target, long length, int blockBytes)
    {
        byte[] block = new byte[(int)Math.Min(blockBytes, length)];
        List<long> starts = [];
        using MemoryStream member = new();
        long end = 0;
        long flushed = 0;
        for (long at = 0; at < length; at += blockBytes)
        {
            if (Volatile.Read(ref _ends))
            {
                return null;
            }

            Memory<byte> bytes = block.AsMemory(0, (int)Math.Min(blockBytes, length - at));
            if (source.Read(bytes.Span, at) < bytes.Length)
            {
                throw new IOException($"Compressing '{source.Path}' failed: it has become shorter.");
            }

            member.SetLength(0);
            using (GZipStream compressed = new(member, _settings.Compression, leaveOpen: true))
            {
                compressed.Write(bytes.Span);
            }

            starts.Add(end);
            target.Write(member.GetBuffer().AsSpan(0, (int)member.Length), end);
            end += member.Length;
            if (end - flushed >= WritebackBytes)
            {
                StartWriteback(target, flushed, end - flushed);
                flushed = end;
            }
        }

        byte[] table = BlockTable.Make(blockBytes, length, starts);
        target.Write(table, end);
        return end + table.Length;
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
                // Removed meanwhile.
            }
            catch (Exception e)
            {
                // It stays as it is; another round tries it again.
                LastError.Note(e);
            }
        }
    }
}
