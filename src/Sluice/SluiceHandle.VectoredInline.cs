using Sluice.Interop;
using Sluice.Uring.Abi;

namespace Sluice;

/// <summary>Scatter/gather of a few segments in one call on the caller's thread, where that is all there is to do.</summary>
public sealed partial class SluiceHandle
{
    /// <summary>
    /// True when the call transferred everything, or all up to the end of the file. False leaves it to an operation, from the start:
    /// reading again what was read already is harmless.
    /// </summary>
    private bool TryReadVectorInline(IReadOnlyList<Memory<byte>> buffers, long fileOffset, bool wait, out long bytes)
    {
        bytes = 0;
        if (!_readsInline || buffers.Count > VectorCall.MostSegments)
        {
            return false;
        }

        bool added = false;
        try
        {
            _file.DangerousAddRef(ref added);
            RwFlags flags = wait ? Flags : Flags | RwFlags.NoWait;
            int result = VectorCall.Read(_fd, buffers, fileOffset, flags, out long total);
            bytes = result;
            if (result < 0 || (result < total && !IsAtEnd(fileOffset + result)))
            {
                return false;
            }

            AfterRead(fileOffset, result);
            return true;
        }
        finally
        {
            if (added)
            {
                _file.DangerousRelease();
            }
        }
    }

    /// <summary>True when everything was written. False leaves it to an operation, from the start: writing the same bytes again is harmless.</summary>
    private bool TryWriteVectorInline(IReadOnlyList<ReadOnlyMemory<byte>> buffers, long fileOffset, bool timed)
    {
        if (!_writesInline || buffers.Count > VectorCall.MostSegments)
        {
            return false;
        }

        bool added = false;
        try
        {
            _file.DangerousAddRef(ref added);
            long begin = timed ? WritePace.Begin() : 0;
            int result = VectorCall.Write(_fd, buffers, fileOffset, Flags, out long total);
            if (timed)
            {
                WritePace.End(begin, (int)Math.Min(total, int.MaxValue));
            }

            AfterWrite(fileOffset, result);
            return result == total || total == 0;
        }
        finally
        {
            if (added)
            {
                _file.DangerousRelease();
            }
        }
    }
}
