using System.Runtime.CompilerServices;
using Microsoft.Win32.SafeHandles;
using Sluice.Kernel;
using Sluice.Memory;
using Sluice.Uring;
using Sluice.Uring.Abi;

namespace Sluice.Handles;

/// <summary>
/// The end of one file. It is opened again for appending only (O_APPEND), so that the position behind each write is nobody else's and tells
/// where the bytes landed. O_APPEND on the first descriptor would turn every pwrite of other threads into an append.
/// </summary>
/// <remarks>
/// Where the kernel refuses the second opening, pwritev2 with RWF_APPEND writes at the end in one step too, but moves the position that all
/// holders of the first one share: all appends to it take turns then. One thread at a time writes; disposing may come from any.
/// </remarks>
internal sealed unsafe class AppendTarget : IDisposable
{
    /// <summary>Whose position is used, and the lock of those who do.</summary>
    private static readonly ConditionalWeakTable<SafeFileHandle, Lock> SharedPositions = [];

    private readonly OpenFile _file;
    private readonly SafeFileHandle? _own;

    /// <summary>Why there is none of our own: a negative errno.</summary>
    private readonly int _refusal;

    /// <param name="file">The caller holds a reference.</param>
    public AppendTarget(OpenFile file)
    {
        _file = file;
        _refusal = Libc.OpenForAppending(file.Descriptor);
        _own = _refusal >= 0 ? new SafeFileHandle(_refusal, ownsHandle: true) : null;
    }

    /// <summary>
    /// Bytes that stand at the end of the file now, and where they begin; or a negative errno, of the write, or behind it, where the system
    /// does not tell the place of what stands there.
    /// </summary>
    public int Write(Iovec* segments, int count, out long landed)
    {
        landed = 0;
        fixed (long* p = &landed)
        {
            return Write(segments, count, p);
        }
    }

    /// <summary>How many of these bytes stand at the end of the file now; or a negative errno.</summary>
    public int Write(ReadOnlySpan<byte> bytes)
    {
        fixed (byte* p = bytes)
        {
            Iovec segment;
            segment.Base = p;
            segment.Len = (nuint)bytes.Length;
            return Write(&segment, 1, null);
        }
    }

    public void Dispose() => _own?.Dispose();

    /// <param name="segments">The bytes.</param>
    /// <param name="count">Of the segments.</param>
    /// <param name="landed">Where to say where they begin; null where nobody asks, which saves a call of the system.</param>
    private int Write(Iovec* segments, int count, long* landed)
    {
        if (_own is null)
        {
            return WriteAtSharedPosition(segments, count, landed);
        }

        try
        {
            using OpenFile.Reference reference = new(_own);
            int own = (int)_own.DangerousGetHandle();
            int written = Libc.WriteV(own, segments, count, -1, RwFlags.None);
            long end = landed is null || written <= 0 ? written : Libc.Position(own);
            return landed is null ? written : Tell(end, written, landed);
        }
        catch (ObjectDisposedException)
        {
            // The handle was disposed while this append was on its way, with a reference to the file itself.
            return WriteAtSharedPosition(segments, count, landed);
        }
    }

    /// <summary>What a write answers that ended there, and where it began; a negative errno where either is one.</summary>
    private static int Tell(long end, int written, long* landed)
    {
        // The position of a device such as /dev/null stays 0.
        *landed = end < 0 ? 0 : Math.Max(end - written, 0);
        return end < 0 ? (int)end : written;
    }

    private int WriteAtSharedPosition(Iovec* segments, int count, long* landed)
    {
        int fd = _file.Descriptor;
        bool isDirect = _file.Caching == FileCaching.Direct;
        Lock positions = Uninterrupted.UntilDone(_file.SafeFileHandle, static f => SharedPositions.GetValue(f, static _ => new Lock()));
        using (positions.EnterUninterrupted())
        {
            if (isDirect)
            {
                _file.SuspendDirect();
            }

            try
            {
                int written = Libc.WriteV(fd, segments, count, -1, RwFlags.Append);
                if (written == -Errno.EOPNOTSUPP && _own is null)
                {
                    // A sandbox hides the call too.
                    written = _refusal;
                }

                long end = landed is null || written <= 0 ? written : Libc.Position(fd);
                if (end >= 0 && end < written)
                {
                    // Somebody else has moved the position. The bytes stand at the end: an offset of theirs is told, not an error.
                    long length = Libc.LengthOf(fd);
                    end = length < 0 ? length : Math.Max(written, length);
                }

                return landed is null ? written : Tell(end, written, landed);
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
