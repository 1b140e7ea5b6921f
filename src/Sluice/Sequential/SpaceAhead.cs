using Sluice.Interop;
using Sluice.Streams;

namespace Sluice.Sequential;

/// <summary>
/// The space that a writer has reserved ahead of itself, in large steps, and gives back at the end. Direct writes need it within the
/// file's length, because one that makes the file longer lets no other pass; of cached ones, those of file systems on which delayed
/// allocation is dear (docs/architecture.md, "Space just before the bytes") have it behind the end.
/// </summary>
internal sealed class SpaceAhead
{
#if DEBUG
    private const long SmallestStepBytes = 256L << 10;
#else
    private const long SmallestStepBytes = 16L << 20;
#endif
    private const long LargestStepBytes = 256L << 20;

    private readonly SluiceHandle _handle;
    private readonly bool _canSeek;
    private readonly bool _isDirect;
    private readonly long _startLength;
    private long _reservedTo;
    private long _extendedTo;
    private bool _hasReserved;
    private bool _reserves;

    /// <exception cref="IOException">The disk has no room for <paramref name="preallocationSize"/>.</exception>
    public SpaceAhead(SluiceHandle handle, long offset, long preallocationSize)
    {
        _handle = handle;
        _canSeek = handle.CanSeek;
        _isDirect = handle.Caching == FileCaching.Direct;
        _startLength = _canSeek ? handle.Length : 0;
        _reservedTo = Math.Max(_startLength, offset);
        _reserves = _canSeek && Libc.IsSupported;
        if (preallocationSize > 0 && _reserves && offset + preallocationSize > _reservedTo)
        {
            Reserve(offset + preallocationSize - _reservedTo);
        }
    }

    /// <summary>Before a write. It is a help, not a need: a disk that is really full says so at the write.</summary>
    public void Ensure(long start, long end)
    {
        if (!_reserves || end <= _reservedTo || (!_isDirect && start < AdaptiveSize.ReserveFrom))
        {
            return;
        }

        if (!_isDirect)
        {
            if (!_handle.DelaysAllocation)
            {
                _reserves = false;
                return;
            }

            // The first bytes stay with delayed allocation, which guards files that replace others (mount option auto_da_alloc).
            _reservedTo = Math.Max(_reservedTo, start);
        }

        long bytes = Math.Max(end - _reservedTo, Math.Clamp(end - _startLength, SmallestStepBytes, LargestStepBytes));
        try
        {
            if (_isDirect)
            {
                Reserve(bytes);
            }
            else
            {
                // Counted though it may have been refused: what a refusal leaves behind is to be given back as well.
                _reserves = _handle.TryReserveAhead(_reservedTo, bytes);
                _reservedTo += bytes;
                _hasReserved = true;
            }
        }
        catch (Exception e) when (e is IOException or PlatformNotSupportedException or ArgumentOutOfRangeException)
        {
            _reserves = false;
        }
    }

    /// <summary>
    /// Gives back what is behind <paramref name="end"/>, and after an error cuts what was written there. A file that others have made longer
    /// than this writer has made it keeps its length: their bytes are not ours to cut.
    /// </summary>
    /// <param name="end">Where the writer's bytes end.</param>
    /// <param name="reached">How far it may have written, after an error.</param>
    /// <param name="hasFailed">Whether there was an error.</param>
    public void Trim(long end, long reached, bool hasFailed)
    {
        end = Math.Max(_startLength, end);
        if (!_canSeek || (!hasFailed && !_hasReserved))
        {
            return;
        }

        long length = _handle.Length;
        if (length > end && length <= Math.Max(_extendedTo, hasFailed ? reached : 0))
        {
            // Between these two calls another process might append: see docs/architecture.md, "What is reserved is given back".
            _handle.SetLength(end);
        }
        else if (_hasReserved && _reservedTo > end)
        {
            _handle.ReleaseBehindEnd(end, _reservedTo);
        }

        _hasReserved = false;
    }

    private void Reserve(long bytes)
    {
        if (_isDirect)
        {
            _handle.Allocate(_reservedTo, bytes);
            _extendedTo = _reservedTo + bytes;
        }
        else
        {
            _handle.ReserveWhole(_reservedTo, bytes);
        }

        _reservedTo += bytes;
        _hasReserved = true;
    }
}
