using System.Diagnostics;
using Sluice.Errors;
using Sluice.Kernel;
using Sluice.Memory;
using Sluice.Uring.Abi;

namespace Sluice.Engines;

/// <summary>
/// One operation as one blocking system call. Results are bytes or a negative errno; the rest of a partial transfer is
/// the operation's business (asynchronous) or the handle's (synchronous).
/// </summary>
internal static unsafe class LinuxTransfer
{
    public static int Run(IoOperation operation) =>
        operation.PassesCache ? DirectTransfer.RunThroughCache(operation) : RunPlainly(operation);

    /// <summary>With the flags of the descriptor as they are.</summary>
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
            case IoVerb.Write:
                long begin = Stopwatch.GetTimestamp();
                int written = TransferCalls.WriteWaiting(fd, address, length, offset, operation.Flags);
                handle.WritePace.Record(begin, length);
                return written;
            case IoVerb.ReadVector:
            case IoVerb.WriteVector:
                return TransferCalls.VectorWaiting(
                    operation.IsRead, fd, (Iovec*)address, operation.SegmentCount, offset, operation.Flags);
            case IoVerb.Append:
                long landed = handle.AppendBlocking(PinnedMemory.SpanOf(operation.Address, length));
                operation.SetResult(landed);

                // An error is thrown outside the file's gate: code of the caller's may hear of it at once, and append too.
                return landed < 0 ? (int)landed : length;
            case IoVerb.Nothing:
                return 0;
            case IoVerb.Flush or IoVerb.FlushData:
                return operation.Verb == IoVerb.FlushData ? Libc.FlushData(fd) : Libc.Flush(fd);
            default:
                throw new UnreachableException();
        }
    }
}
