using Sluice.Engines;
using Sluice.Errors;
using Sluice.Kernel;
using Sluice.Uring.Abi;

namespace Sluice;

// Members for the readers and writers of the folder Sequential.
public sealed partial class SluiceHandle
{
    /// <summary>
    /// Gets a value that indicates whether a reader or writer may submit its direct transfers to a ring of its own. This requires that
    /// io_uring is in use and that no engine was specified. Cached transfers go through the engine: overlapping reads would defeat the
    /// kernel's read-ahead, and io_uring hands cached writes to a worker thread.
    /// </summary>
    internal bool AllowsOwnRing => Caching == FileCaching.Direct && !IsCustomEngine && EngineInUse is UringEngine;

    /// <summary>Reserves space without changing the length of the file, also beyond its end.</summary>
    /// <exception cref="IOException">The disk is full. The message contains path and size.</exception>
    internal void ReserveWhole(long offset, long length) => ChangeSpace(IoVerb.Allocate, FallocateFlags.KeepSize, offset, length);

    /// <summary>
    /// Returns the limit of read-ahead: the length of the file, 0 if it is unknown (pipes, /proc), or <see cref="long.MaxValue"/> for block
    /// devices, whose end only a read can find.
    /// </summary>
    internal long LengthToReadAhead()
    {
        ThrowIfClosed();
        using Reference reference = TakeReference();
        long length = CanSeek ? LengthNow() : 0;
        bool isBlockDevice = length == 0 && Libc.IsSupported && Libc.Stat(_fd, StatxMask.Type, out Statx stat) == 0
            && (stat.Mode & Statx.TypeMask) == Statx.TypeBlockDevice;
        return isBlockDevice ? long.MaxValue : length;
    }
}
