using Sluice.Interop;
using Sluice.Uring.Abi;

namespace Sluice;

/// <summary>What the sequential readers and writers ask of a handle.</summary>
public sealed partial class SluiceHandle
{
    /// <summary>
    /// Direct transfers may go through a ring of their caller's own: the process uses rings, and no engine was asked for. Cached ones may
    /// not: overlapping reads defeat the kernel's read-ahead, and writes are memory copies that the ring hands to a kernel worker.
    /// </summary>
    internal bool AllowsOwnRing => Caching == FileCaching.Direct && !IsCustomEngine && EngineInUse is UringEngine;

    /// <summary>
    /// Reserves space behind what was written, the length staying as it is; false, and nothing is reserved, where it is more than a quarter
    /// of what the disk has free: others write too.
    /// </summary>
    internal bool TryReserveAhead(long offset, long length)
    {
        bool added = false;
        try
        {
            AddReference(ref added);
            return length <= Libc.FreeBytes(_fd) / 4 && Libc.Allocate(_fd, FallocateFlags.KeepSize, offset, length) == 0;
        }
        finally
        {
            if (added)
            {
                ReleaseReference();
            }
        }
    }

    /// <summary>Reserves space, behind the end of the file too; the length stays as it is.</summary>
    /// <exception cref="IOException">The disk is full; the message has path and size.</exception>
    internal void ReserveWhole(long offset, long length) => ChangeSpace(IoVerb.Allocate, FallocateFlags.KeepSize, offset, length);

    /// <summary>
    /// Gives back what was reserved behind the end of the file up to <paramref name="reservedTo"/>. On ext4 in one step, so that what others
    /// append meanwhile stays; elsewhere by a cut at the length, unless the file is longer than <paramref name="end"/>: then others append.
    /// </summary>
    internal void ReleaseBehindEnd(long end, long reservedTo)
    {
        bool added = false;
        try
        {
            AddReference(ref added);
            if (!SpaceBehindEnd.TryRelease(_fd, reservedTo) && Length is var length && length <= end)
            {
                SetLength(length);
            }
        }
        finally
        {
            if (added)
            {
                ReleaseReference();
            }
        }
    }

    /// <summary>
    /// How far reading ahead makes sense: the file's length, 0 where it has none to tell (pipes, /proc), <see cref="long.MaxValue"/> on
    /// block devices, whose end only a read tells.
    /// </summary>
    internal long LengthToReadAhead()
    {
        ThrowIfClosed();
        long length = CanSeek ? RandomAccess.GetLength(_file) : 0;
        bool isBlockDevice = length == 0 && Libc.IsSupported && Libc.Stat(_fd, StatxMask.Type, out Statx stat) == 0
            && (stat.Mode & Statx.TypeMask) == Statx.TypeBlockDevice;
        return isBlockDevice ? long.MaxValue : length;
    }
}
