using Sluice.Streams;

namespace Sluice.Sequential;

/// <summary>
/// The space that a writer has allocated ahead of itself, in large steps, and gives back at the end. Direct writes need it, because one
/// that makes the file longer lets no other pass; of cached ones, those of file systems on which delayed allocation is dear
/// (docs/architecture.md, "Space just before the bytes"), whose length stays exact.
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
    private long _allocatedTo;
    private long _extendedTo;
    private bool _allocates;

    /// <exception cref="IOException">The disk has no room for <paramref name="preallocationSize"/>.</exception>
    public SpaceAhead(SluiceHandle handle, long offset, long preallocationSize)
    {
        _handle = handle;
        _canSeek = handle.CanSeek;
        _isDirect = handle.Caching == FileCaching.Direct;
        _startLength = _canSeek ? handle.Length : 0;
        _allocatedTo = Math.Max(_startLength, offset);
        _allocates = _canSeek;
        if (preallocationSize > 0 && _canSeek && offset + preallocationSize > _allocatedTo)
        {
            Allocate(offset + preallocationSize - _allocatedTo);
        }
    }

    /// <summary>Before a write. It is a help, not a need: a disk that is really full says so at the write.</summary>
    public void Ensure(long start, long end)
    {
        if (!_allocates || end <= _allocatedTo || (!_isDirect && start < AdaptiveSize.ReserveFrom))
        {
            return;
        }

        if (!_isDirect)
        {
            if (!_handle.DelaysAllocation)
            {
                _allocates = false;
                return;
            }

            // The first bytes stay with delayed allocation, which guards files that replace others (mount option auto_da_alloc).
            _allocatedTo = Math.Max(_allocatedTo, start);
        }

        long bytes = Math.Max(end - _allocatedTo, Math.Clamp(end - _startLength, SmallestStepBytes, LargestStepBytes));
        try
        {
            if (_isDirect)
            {
                Allocate(bytes);
            }
            else
            {
                // Counted though it may have been refused: what a refusal leaves behind is to be cut as well.
                _allocates = _handle.TryReserveAhead(_allocatedTo, bytes);
                _allocatedTo += bytes;
            }
        }
        catch (Exception e) when (e is IOException or PlatformNotSupportedException or ArgumentOutOfRangeException)
        {
            _allocates = false;
        }
    }

    /// <summary>
    /// Gives back what is behind <paramref name="end"/>, and after an error cuts what was written there. Without an error, a file that
    /// others have made longer meanwhile stays as it is: their bytes are not ours to cut.
    /// </summary>
    public void Trim(long end, bool hasFailed)
    {
        end = Math.Max(_startLength, end);
        if (!hasFailed && _allocatedTo > end && _handle.Length > Math.Max(end, _extendedTo))
        {
            return;
        }

        if (_allocatedTo > end || (hasFailed && _canSeek && _handle.Length > end))
        {
            _allocatedTo = end;
            _handle.SetLength(end);
        }
    }

    private void Allocate(long bytes)
    {
        _handle.Allocate(_allocatedTo, bytes);
        _allocatedTo += bytes;
        _extendedTo = _allocatedTo;
    }
}
