using Microsoft.Win32.SafeHandles;
using Sluice.Errors;
using Sluice.Kernel;
using Sluice.Uring;
using Sluice.Uring.Abi;

namespace Sluice.Handles;

/// <summary>
/// The end of an open file. The file is opened a second time with O_APPEND, so that each write is appended in one step whoever else writes,
/// and the position of that descriptor, which nobody else uses, is the end of the bytes just written. O_APPEND on the handle's own
/// descriptor would turn its writes at offsets into appends. Thread-safe.
/// </summary>
/// <remarks>
/// If the second opening is refused (no permission, no /proc), appends use RWF_APPEND, which moves the position that all duplicates of the
/// handle's descriptor share; all appends of the process take turns then.
/// </remarks>
internal sealed unsafe class AppendTarget : IDisposable
{
    private static readonly Lock SharedPosition = new();

    private readonly Lock _lock = new();
    private readonly OpenFile _file;
    private readonly SafeFileHandle? _own;

    /// <summary>The negative errno of the second opening if that was refused.</summary>
    private readonly int _refusal;

    /// <param name="file">The caller holds a reference, here and in each call.</param>
    public AppendTarget(OpenFile file)
    {
        _file = file;
        _refusal = Libc.OpenForAppending(file.Descriptor);
        _own = _refusal >= 0 ? new SafeFileHandle(_refusal, ownsHandle: true) : null;
    }

    /// <summary>Appends all bytes. Returns their offset, or 0 if it is not needed; or a negative errno.</summary>
    public long Append(ReadOnlySpan<byte> bytes, bool needsOffset)
    {
        lock (_lock)
        {
            return AppendAll(bytes, needsOffset);
        }
    }

    /// <summary>As <see cref="Append"/>; false, without waiting, if another thread is appending.</summary>
    public bool TryAppend(ReadOnlySpan<byte> bytes, bool needsOffset, out long offset)
    {
        offset = 0;
        if (!_lock.TryEnter())
        {
            return false;
        }

        try
        {
            offset = AppendAll(bytes, needsOffset);
            return true;
        }
        finally
        {
            _lock.Exit();
        }
    }

    /// <summary>Appends in one system call, for one thread at a time. Returns the number of bytes or a negative errno.</summary>
    public int Write(ReadOnlySpan<byte> bytes) => Write(bytes, needsEnd: false, out _);

    /// <exception cref="IOException">close(2) failed. The descriptor is closed all the same.</exception>
    public void Dispose()
    {
        if (_own is not null)
        {
            WrittenFile.Close(_own, _file.Path);
        }
    }

    private long AppendAll(ReadOnlySpan<byte> bytes, bool needsOffset)
    {
        long offset = needsOffset ? -1 : 0;
        for (int done = 0; done < bytes.Length;)
        {
            int written = Write(bytes[done..], needsEnd: offset < 0, out long end);
            if (written <= 0)
            {
                return written < 0 ? written : -Errno.EIO;
            }

            if (offset < 0)
            {
                // The position of a device such as /dev/null stays 0.
                offset = Math.Max(end - written, 0);
            }

            done += written;
        }

        return offset;
    }

    /// <summary>Returns the number of bytes, or a negative errno: of the write, or of finding out where the bytes are.</summary>
    private int Write(ReadOnlySpan<byte> bytes, bool needsEnd, out long end)
    {
        end = 0;
        if (_own is null)
        {
            return WriteAtSharedPosition(bytes, needsEnd, out end);
        }

        try
        {
            using OpenFile.Reference reference = new(_own);
            int own = (int)_own.DangerousGetHandle();
            int written = TransferCalls.Write(own, bytes, -1, RwFlags.None);
            end = needsEnd && written > 0 ? Libc.Position(own) : 0;
            return end < 0 ? (int)end : written;
        }
        catch (ObjectDisposedException)
        {
            // The handle was disposed while this append, which has a reference to the file, was pending.
            return WriteAtSharedPosition(bytes, needsEnd, out end);
        }
    }

    private int WriteAtSharedPosition(ReadOnlySpan<byte> bytes, bool needsEnd, out long end)
    {
        int fd = _file.Descriptor;
        bool isDirect = _file.Caching == FileCaching.Direct;
        end = 0;
        fixed (byte* p = bytes)
        {
            Iovec segment;
            segment.Base = p;
            segment.Len = (nuint)bytes.Length;
            lock (SharedPosition)
            {
                if (isDirect)
                {
                    _file.SuspendDirect();
                }

                try
                {
                    int written = Libc.WriteV(fd, &segment, 1, -1, RwFlags.Append);
                    if (written == -Errno.EOPNOTSUPP && _own is null)
                    {
                        // A sandbox hides this call too.
                        return _refusal;
                    }

                    end = needsEnd && written > 0 ? Libc.Position(fd) : 0;
                    if (end >= 0 && end < written && needsEnd)
                    {
                        // Other code moved the position. The bytes are at the end of the file.
                        long length = Libc.LengthOf(fd);
                        end = length < 0 ? length : Math.Max(written, length);
                    }

                    return end < 0 ? (int)end : written;
                }
                finally
                {
                    if (isDirect)
                    {
                        _file.ResumeDirect();
                    }
                }
            }
        }
    }
}
