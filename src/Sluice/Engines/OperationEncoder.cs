using System.Diagnostics;
using Sluice.Errors;
using Sluice.Uring;
using Sluice.Uring.Abi;

namespace Sluice.Engines;

/// <summary>Encodes operations as submission entries. An operation keeps its memory until its completion has been taken.</summary>
internal static unsafe class OperationEncoder
{
    /// <summary>Queues an entry for an operation. Returns false if the submission queue is full.</summary>
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
            case IoVerb.Read or IoVerb.Write:
                Prep.Transfer(
                    sqe, operation.IsRead, fd, (byte*)address, (uint)operation.Length, offset, operation.Flags, userData);
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
            case IoVerb.Flush or IoVerb.FlushData:
                Prep.Fsync(sqe, fd, operation.Verb == IoVerb.FlushData ? FsyncFlags.DataSync : FsyncFlags.None, userData);
                break;
            default:
                throw new UnreachableException();
        }

        return true;
    }

    /// <summary>Queues an entry that does nothing but complete. Returns false if the submission queue is full.</summary>
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
}
