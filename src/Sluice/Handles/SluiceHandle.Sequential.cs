using Sluice.Engines;
using Sluice.Errors;
using Sluice.Kernel;
using Sluice.Uring.Abi;

namespace Sluice;

// What the sequential readers and writers ask of a handle.
public sealed partial class SluiceHandle
{
    /// <summary>
    /// Direct transfers may go through a ring of their caller's own: the process uses rings, and no engine was asked for. Cached ones may
    /// not: overlapping reads defeat the kernel's read-ahead, and writes are memory copies that the ring hands to a kernel worker.
    /// </summary>
    internal bool AllowsOwnRing => Caching == FileCaching.Direct && !IsCustomEngine && EngineInUse is UringEngine;

    /// <summary>Reserves space, behind the end of the file too; the length stays as it is.</summary>
    /// <exception cref="IOException">The disk is full; the message has path and size.</exception>
    internal void ReserveWhole(long offset, long length) => ChangeSpace(IoVerb.Allocate, FallocateFlags.KeepSize, offset, length);

    /// <summary>
    /// Reads with one system call where that is possible. Fewer bytes than asked for are not the end of the file, and 0 bytes are: a
    /// sequential reader reads on in any case, and needs no length.
    /// </summary>
    internal int ReadOnce(Span<byte> buffer, long fileOffset)
    {
        if (NeedsOperation || DropsBehind)
        {
            return Read(buffer, fileOffset);
        }

        ThrowIfClosed();
        int bytes;
        using (Hold())
        {
            bytes = TransferCalls.ReadWaiting(_fd, CutForDebug(buffer), IsKnownUnseekable ? -1 : fileOffset, TransferFlags);
        }

        if (bytes < 0)
        {
            // Once more, for the exception, or in another way.
            return Read(buffer, fileOffset);
        }

        IoMetrics.Note(this, IoVerb.Read, Carrier.Inline, bytes);
        return bytes;
    }

    /// <summary>
    /// How far reading ahead makes sense: the file's length, 0 where it has none to tell (pipes, /proc), <see cref="long.MaxValue"/> on
    /// block devices, whose end only a read tells.
    /// </summary>
    internal long LengthToReadAhead()
    {
        ThrowIfClosed();
        using Reference reference = Hold();
        long length = CanSeek ? LengthNow() : 0;
        bool isBlockDevice = length == 0 && Libc.IsSupported && Libc.Stat(_fd, StatxMask.Type, out Statx stat) == 0
            && (stat.Mode & Statx.TypeMask) == Statx.TypeBlockDevice;
        return isBlockDevice ? long.MaxValue : length;
    }
}
