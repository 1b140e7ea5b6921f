using Microsoft.Win32.SafeHandles;
using Sluice.Errors;
using Sluice.Kernel;
using Sluice.Uring;
using Sluice.Uring.Abi;

namespace Sluice.Handles;

/// <summary>
/// Appends to an open file. The file is opened a second time with O_APPEND, so that the kernel finds the end of the file and writes there
/// in one step. The position of this descriptor, which no other code uses, is then the end of the appended bytes. O_APPEND is not set on
/// the handle's own descriptor, because it would turn writes at offsets into appends. Thread-safe.
/// </summary>
/// <remarks>
/// If the file cannot be opened again (no permission, no /proc), appends use RWF_APPEND. This moves the position that all duplicates of the
/// handle's descriptor share, so a lock then serializes all appends of the process.
/// </remarks>
internal sealed unsafe class AppendTarget : IDisposable
{
    private static readonly Lock SharedPosition = new();

    private readonly Lock _lock = new();
    private readonly OpenFile _file;
    private readonly SafeFileHandle? _own;

    /// <summary>The negative errno of the second open if it failed.</summary>
    private readonly int _refusal;

    /// <param name="file">The open file. The caller holds a reference during this call and during each call of the methods.</param>
    public AppendTarget(OpenFile file)
    {
        _file = file;
        _refusal = Libc.OpenForAppending(file.Descriptor);
        _own = _refusal >= 0 ? new SafeFileHandle(_refusal, ownsHandle: true) : null;
    }

    /// <summary>Appends all bytes. Returns their offset (0 if it is not needed) or a negative errno.</summary>
    public long Append(ReadOnlySpan<byte> bytes, bool needsOffset)
    {
        lock (_lock)
        {
            return AppendAll(bytes, needsOffset);
        }
    }

    /// <summary>Appends all bytes like <see cref="Append"/>, but returns false without waiting if another thread is appending.</summary>
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

    /// <summary>
    /// Appends with one system call. Only one thread may call this method at a time. Returns the number of bytes or a negative errno.
    /// </summary>
    public int Write(ReadOnlySpan<byte> bytes) => Write(bytes, needsEnd: false, out _);

    /// <exception cref="IOException">close(2) failed. The descriptor is closed nevertheless.</exception>
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

    /// <summary>Returns the number of bytes, or the negative errno of the write or of reading the position.</summary>
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
            // The handle was disposed during this append. The append has a reference to the file, and can continue if the kernel has
            // RWF_APPEND.
            int written = WriteAtSharedPosition(bytes, needsEnd, out end);
            if (written == -Errno.EOPNOTSUPP)
            {
                throw;
            }

            return written;
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
                        // RWF_APPEND is not possible either, so the error of the second open is returned.
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
