using Microsoft.Win32.SafeHandles;
using Sluice.Errors;
using Sluice.Memory;

namespace Sluice.Engines;

/// <summary>Overlapped transfers of System.IO, for Windows handles that were opened for asynchronous use.</summary>
internal static class OverlappedTransfer
{
    /// <summary>Starts an overlapped transfer. Returns false if the operation needs a blocking call.</summary>
    public static bool TryStart(IoOperation operation)
    {
        if (operation.NeedsBlocking || operation.Verb is not (IoVerb.Read or IoVerb.Write))
        {
            return false;
        }

        _ = RunAsync(operation);
        return true;
    }

    private static async Task RunAsync(IoOperation operation)
    {
        // The operation keeps the memory pinned until it is completed.
        Memory<byte> memory = new PinnedMemoryManager(operation.Address, operation.Length).Memory;
        SafeFileHandle file = operation.Handle.SafeFileHandle;
        long offset = Math.Max(operation.FileOffset, 0);
        int bytes = memory.Length;
        try
        {
            if (operation.Verb == IoVerb.Read)
            {
                bytes = await RandomAccess.ReadAsync(file, memory, offset).ConfigureAwait(false);
            }
            else
            {
                await RandomAccess.WriteAsync(file, memory, offset).ConfigureAwait(false);
            }
        }
        catch (Exception e)
        {
            operation.CompleteWith(e);
            return;
        }

        operation.Complete(bytes);
    }
}
