using System.Diagnostics;
using Sluice.Errors;
using Sluice.Kernel;
using Sluice.Memory;
using Sluice.Uring.Abi;

namespace Sluice.Engines;

/// <summary>Makes a submission as one blocking system call. Returns the number of bytes or a negative errno.</summary>
internal static unsafe class LinuxTransfer
{
    public static int Run(IoOperation operation) =>
        operation.PassesCache ? DirectTransfer.RunThroughCache(operation) : RunPlainly(operation);

    /// <summary>As <see cref="Run"/>, without changing the flags of the descriptor.</summary>
    public static int RunPlainly(IoOperation operation)
    {
        OpenFile handle = operation.Handle;
        int fd = operation.Descriptor;
        byte* address = (byte*)operation.Address;
        int length = operation.Length;
        long offset = operation.FileOffset;
        switch (operation.Verb)
        {
            case IoVerb.Read:
                return TransferCalls.ReadWaiting(fd, address, length, offset, operation.Flags);
            case IoVerb.ReadVector:
                return TransferCalls.VectorWaiting(isRead: true, fd, (Iovec*)address, operation.SegmentCount, offset, operation.Flags);
            case IoVerb.Write:
            case IoVerb.WriteVector:
            case IoVerb.Append:
                long begin = handle.BeginBlockingWrite();
                int written = Write(operation);
                handle.EndBlockingWrite(begin, length);
                return written;
            case IoVerb.Nothing:
                return 0;
            case IoVerb.Flush or IoVerb.FlushData:
                return operation.Verb == IoVerb.FlushData ? Libc.FlushData(fd) : Libc.Flush(fd);
            default:
                throw new UnreachableException();
        }
    }

    private static int Write(IoOperation operation)
    {
        switch (operation.Verb)
        {
            case IoVerb.Write:
                return TransferCalls.WriteWaiting(
                    operation.Descriptor, (byte*)operation.Address, operation.Length, operation.FileOffset, operation.Flags);
            case IoVerb.WriteVector:
                return TransferCalls.VectorWaiting(
                    isRead: false, operation.Descriptor, (Iovec*)operation.Address, operation.SegmentCount, operation.FileOffset,
                    operation.Flags);
            default:
                long landed = operation.Handle.AppendBlocking(PinnedMemory.SpanOf(operation.Address, operation.Length));
                operation.SetResult(landed);

                // The exception is created after the operation has left the gate.
                return landed < 0 ? (int)landed : operation.Length;
        }
    }
}
