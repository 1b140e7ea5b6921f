using System.Diagnostics;
using Sluice.Errors;
using Sluice.Uring;
using Sluice.Uring.Abi;

namespace Sluice.Engines;

/// <summary>Writes operations into submission entries. The operation keeps its memory until the completion has been taken.</summary>
internal static unsafe class OperationEncoder
{
    /// <summary>False when the submission queue is full.</summary>
    public static bool TryEncode(Ring ring, IoOperation operation, ulong userData)
    {
        IoUringSqe* sqe = ring.TryTake();
        if (sqe is null)
        {
            return false;
        }

        int fd = operation.Descriptor;
        nint address = operation.Address;
        long offset = operation.FileOffset;
        switch (operation.Verb)
        {
            case IoVerb.Read:
                Prep.Read(sqe, fd, (byte*)address, (uint)operation.Length, offset, operation.Flags, userData);
                break;
            case IoVerb.Write:
                Prep.Write(sqe, fd, (byte*)address, (uint)operation.Length, offset, operation.Flags, userData);
                break;
            case IoVerb.ReadVector:
                Prep.ReadV(sqe, fd, (Iovec*)address, (uint)operation.SegmentCount, offset, operation.Flags, userData);
                break;
            case IoVerb.WriteVector:
                Prep.WriteV(sqe, fd, (Iovec*)address, (uint)operation.SegmentCount, offset, operation.Flags, userData);
                break;
            case IoVerb.Nothing:
                Prep.Nop(sqe, userData);
                break;
            case IoVerb.Flush:
                Prep.Fsync(sqe, fd, FsyncFlags.None, userData);
                break;
            case IoVerb.FlushData:
                Prep.Fsync(sqe, fd, FsyncFlags.DataSync, userData);
                break;
            default:
                throw new UnreachableException();
        }

        return true;
    }

    /// <summary>Queues an entry that does nothing but complete; false when the submission queue is full.</summary>
    public static bool TryEncodeNop(Ring ring, ulong userData)
    {
        IoUringSqe* sqe = ring.TryTake();
        if (sqe is null)
        {
            return false;
        }

        Prep.Nop(sqe, userData);
        return true;
    }

    /// <summary>Queues a request to cancel; false when the submission queue is full.</summary>
    public static bool TryEncodeCancel(Ring ring, ulong target, ulong userData)
    {
        IoUringSqe* sqe = ring.TryTake();
        if (sqe is null)
        {
            return false;
        }

        Prep.Cancel(sqe, target, userData);
        return true;
    }
}
