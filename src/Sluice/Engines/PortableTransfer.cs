using System.Diagnostics;
using Sluice.Errors;
using Sluice.Memory;
using Sluice.Uring.Abi;

namespace Sluice.Engines;

/// <summary>Performs a submission with <see cref="RandomAccess"/>, on systems whose system calls Sluice does not make.</summary>
internal static unsafe class PortableTransfer
{
    public static int Run(IoOperation operation)
    {
        OpenFile handle = operation.Handle;
        Microsoft.Win32.SafeHandles.SafeFileHandle file = handle.SafeFileHandle;
        long offset = Math.Max(operation.FileOffset, 0);
        switch (operation.Verb)
        {
            case IoVerb.Read:
                return RandomAccess.Read(file, PinnedMemory.SpanOf(operation.Address, operation.Length), offset);
            case IoVerb.Write:
                RandomAccess.Write(file, PinnedMemory.SpanOf(operation.Address, operation.Length), offset);
                return operation.Length;
            case IoVerb.ReadVector:
                return ReadVector(file, (Iovec*)operation.Address, operation.SegmentCount, offset);
            case IoVerb.WriteVector:
                return WriteVector(file, (Iovec*)operation.Address, operation.SegmentCount, offset);
            case IoVerb.Append:
                operation.SetResult(handle.AppendBlocking(PinnedMemory.SpanOf(operation.Address, operation.Length)));
                return operation.Length;
            case IoVerb.Nothing:
                return 0;
            case IoVerb.Flush or IoVerb.FlushData:
                RandomAccess.FlushToDisk(file);
                return 0;
            default:
                throw new UnreachableException();
        }
    }

    private static int ReadVector(Microsoft.Win32.SafeHandles.SafeFileHandle file, Iovec* segments, int count, long offset)
    {
        int total = 0;
        for (int i = 0; i < count; i++)
        {
            Span<byte> segment = new(segments[i].Base, (int)segments[i].Len);
            int bytes = RandomAccess.Read(file, segment, offset + total);
            total += bytes;
            if (bytes < segment.Length)
            {
                break;
            }
        }

        return total;
    }

    private static int WriteVector(Microsoft.Win32.SafeHandles.SafeFileHandle file, Iovec* segments, int count, long offset)
    {
        int total = 0;
        for (int i = 0; i < count; i++)
        {
            RandomAccess.Write(file, new ReadOnlySpan<byte>(segments[i].Base, (int)segments[i].Len), offset + total);
            total += (int)segments[i].Len;
        }

        return total;
    }
}
