using Sluice.Errors;
using Sluice.Memory;

namespace Sluice.Engines;

/// <summary>Windows handles opened for asynchronous use: System.IO's overlapped transfers over memory that the operation keeps
/// pinned.</summary>
internal static class OverlappedTransfer
{
    /// <summary>Starts an overlapped transfer on a handle made for it (Windows); false where the operation must block.</summary>
    public static bool TryStart(IoOperation operation)
    {
        if (operation.NeedsBlocking || operation.Verb is not (IoVerb.Read or IoVerb.Write))
        {
            return false;
        }

        // The operation keeps the memory pinned until Complete: the manager below only names it.
        PinnedMemoryManager memory = new(operation.Address, operation.Length);
        long offset = Math.Max(operation.FileOffset, 0);
        _ = operation.Verb == IoVerb.Read
            ? AwaitReadAsync(operation, memory.Memory, offset)
            : AwaitWriteAsync(operation, memory.Memory, offset);
        return true;
    }

    private static async Task AwaitReadAsync(IoOperation operation, Memory<byte> memory, long offset)
    {
        int bytes;
        try
        {
            bytes = await RandomAccess.ReadAsync(operation.Handle.SafeFileHandle, memory, offset).ConfigureAwait(false);
        }
        catch (Exception e)
        {
            operation.CompleteWith(e);
            return;
        }

        operation.Complete(bytes);
    }

    private static async Task AwaitWriteAsync(IoOperation operation, Memory<byte> memory, long offset)
    {
        try
        {
            await RandomAccess.WriteAsync(operation.Handle.SafeFileHandle, memory, offset).ConfigureAwait(false);
        }
        catch (Exception e)
        {
            operation.CompleteWith(e);
            return;
        }

        operation.Complete(memory.Length);
    }
}
