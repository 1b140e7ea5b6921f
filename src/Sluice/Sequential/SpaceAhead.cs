using Sluice.Kernel;

namespace Sluice.Sequential;

/// <summary>
/// The space that a writer has reserved ahead of itself. Direct writes need it within the file's length, because one that makes the file
/// longer lets no other pass: it is reserved in large steps, and what is left is cut off at the end. A cached writer reserves what it was
/// asked to, behind the end of the file, and leaves it there, as FileStream does: no call gives it back without naming a length that others
/// may have passed.
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
    private readonly long _start;
    private readonly long _startLength;
    private long _reservedTo;
    private bool _reserves;
    private bool _hasExtended;

    /// <exception cref="IOException">The disk has no room for <paramref name="preallocationSize"/>.</exception>
    public SpaceAhead(SluiceHandle handle, long offset, long preallocationSize)
    {
        _handle = handle;
        _start = offset;
        _canSeek = handle.CanSeek;
        _startLength = _canSeek ? handle.Length : 0;
        _reservedTo = Math.Max(_startLength, offset);
        _reserves = _canSeek && handle.Caching == FileCaching.Direct && Libc.IsSupported;
        long bytes = offset + preallocationSize - _reservedTo;
        if (preallocationSize == 0 || bytes <= 0 || !_canSeek || !Libc.IsSupported)
        {
            return;
        }

        if (_reserves)
        {
            Extend(bytes);
        }
        else
        {
            handle.ReserveWhole(_reservedTo, bytes);
        }
    }

    /// <summary>
    /// Before a write up to <paramref name="end"/>. It is a help, not a need: a disk that is really full says so at the write.
    /// </summary>
    public void Ensure(long end)
    {
        if (!_reserves || end <= _reservedTo)
        {
            return;
        }

        try
        {
            Extend(Math.Max(end - _reservedTo, Math.Clamp(end - _startLength, SmallestStepBytes, LargestStepBytes)));
        }
        catch (Exception e) when (e is IOException or PlatformNotSupportedException or ArgumentOutOfRangeException)
        {
            _reserves = false;
        }
    }

    /// <summary>
    /// Cuts off the zeros behind <paramref name="end"/>, and after an error what was written there. A file that others have made longer
    /// than this writer has made it keeps its length: their bytes are not ours to cut.
    /// </summary>
    /// <param name="end">Where the writer's bytes end.</param>
    /// <param name="reached">How far it may have written, after an error.</param>
    /// <param name="hasFailed">Whether there was an error.</param>
    public void Trim(long end, long reached, bool hasFailed)
    {
        if (!_canSeek || (!hasFailed && !_hasExtended))
        {
            return;
        }

        // A writer that begins behind the end of the file and has written nothing leaves no gap either.
        end = end == _start ? _startLength : Math.Max(_startLength, end);
        long length = _handle.Length;
        if (length > end && length <= Math.Max(_hasExtended ? _reservedTo : 0, hasFailed ? reached : 0))
        {
            // Between these two calls another process might append: see docs/decisions/0005-cached-writes-and-space.md.
            _handle.SetLength(end);
        }

        _hasExtended = false;
    }

    private void Extend(long bytes)
    {
        _handle.Allocate(_reservedTo, bytes);
        _reservedTo += bytes;
        _hasExtended = true;
    }
}
