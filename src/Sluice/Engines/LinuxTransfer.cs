using Sluice.Errors;
using Sluice.Kernel;
using Sluice.Memory;
using Sluice.Uring;
using Sluice.Uring.Abi;

namespace Sluice.Engines;

/// <summary>Performs transfers with one blocking system call each. Returns the number of bytes or a negative errno.</summary>
internal static unsafe class LinuxTransfer
{
    public static int Run(IoOperation operation) =>
        operation.PassesCache ? DirectTransfer.RunThroughCache(operation) : RunPlainly(operation);

    /// <summary>Performs a submission like <see cref="Run"/>, without changing the flags of the descriptor.</summary>
    public static int RunPlainly(IoOperation operation)
    {
        switch (operation.Verb)
        {
            case IoVerb.Read or IoVerb.ReadVector:
                return Transfer(operation);
            case IoVerb.Nothing:
                return 0;
            case IoVerb.Flush:
                return Libc.Flush(operation.Descriptor);
            case IoVerb.FlushData:
                return Libc.FlushData(operation.Descriptor);
            default:
                OpenFile handle = operation.Handle;
                long begin = handle.BeginBlockingWrite();
                int written = operation.Verb == IoVerb.Append ? Append(operation) : Transfer(operation);
                handle.EndBlockingWrite(begin, operation.Length);
                return written;
        }
    }

    /// <summary>Reads without an operation if the buffer and the offset are aligned; otherwise, returns -EINVAL.</summary>
    public static int ReadAligned(OpenFile handle, Span<byte> buffer, long offset)
    {
        fixed (byte* p = buffer)
        {
            return handle.Alignment.IsAligned((nint)p, offset, buffer.Length)
                ? TransferCalls.Read(handle.Descriptor, p, buffer.Length, offset, handle.TransferFlags)
                : -Errno.EINVAL;
        }
    }

    private static int Transfer(IoOperation operation)
    {
        int fd = operation.Descriptor;
        nint address = operation.Address;
        return operation.Verb switch
        {
            IoVerb.Read => TransferCalls.ReadWaiting(fd, (byte*)address, operation.Length, operation.FileOffset, operation.Flags),
            IoVerb.Write => TransferCalls.WriteWaiting(fd, (byte*)address, operation.Length, operation.FileOffset, operation.Flags),
            _ => TransferCalls.VectorWaiting(
                operation.IsRead, fd, (Iovec*)address, operation.SegmentCount, operation.FileOffset, operation.Flags),
        };
    }

    private static int Append(IoOperation operation)
    {
        long offset = operation.Handle.AppendBlocking(PinnedMemory.SpanOf(operation.Address, operation.Length));
        operation.SetResult(offset);

        // The exception is created after the operation has left the gate.
        return offset < 0 ? (int)offset : operation.Length;
    }
}
