using Sluice.Kernel;
using Sluice.Uring;

namespace Sluice.Sequential;

/// <summary>
/// The space that a writer reserves in advance. Direct writes that extend a file are not concurrent, so the space is reserved within the
/// length of the file, in large steps, and the rest is truncated at the end. A cached writer reserves only the specified space, beyond the
/// end of the file, and leaves it there, as FileStream does: releasing it requires a length that others may have exceeded.
/// </summary>
internal sealed class Preallocation
{
#if DEBUG
    private const long SmallestStepBytes = 256L << 10;
#else
    private const long SmallestStepBytes = 16L << 20;
#endif
    private const long LargestStepBytes = 256L << 20;

    private readonly SluiceHandle _handle;
    private readonly long _start;
    private readonly long _startLength;
    private long _reservedTo;
    private bool _reserves;
    private bool _hasExtended;

    /// <exception cref="IOException">There is not enough disk space for <paramref name="preallocationSize"/>.</exception>
    public Preallocation(SluiceHandle handle, long offset, long preallocationSize)
    {
        _handle = handle;
        _start = offset;
        bool canSeek = handle.CanSeek;
        _startLength = canSeek ? handle.Length : 0;
        _reservedTo = Math.Max(_startLength, offset);
        _reserves = canSeek && handle.Caching == FileCaching.Direct && Libc.IsSupported;
        long bytes = offset + preallocationSize - _reservedTo;
        if (preallocationSize == 0 || bytes <= 0 || !canSeek || !Libc.IsSupported)
        {
            return;
        }

        try
        {
            if (_reserves)
            {
                Extend(bytes);
            }
            else
            {
                handle.ReserveWhole(_reservedTo, bytes);
            }
        }
        catch (Exception e) when (e is PlatformNotSupportedException or IOException { HResult: Errno.ENODEV })
        {
            // A file system that cannot reserve space is no error, as in FileStream.
            _reserves = false;
        }
    }

    /// <summary>
    /// Reserves space before a write up to <paramref name="end"/>, for direct writers. After an error, which is ignored, no more space is
    /// reserved. If the disk is really full, the write fails.
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
    /// Truncates the file at <paramref name="end"/> if space was reserved beyond it or, after an error, bytes may have been written beyond
    /// it. If other code has made the file longer than this writer did, it is not truncated. For direct writers.
    /// </summary>
    /// <param name="end">The end of the writer's bytes.</param>
    /// <param name="reached">The maximum offset that the writer may have written to.</param>
    /// <param name="hasFailed">True if there was an error.</param>
    public void Trim(long end, long reached, bool hasFailed)
    {
        if (!hasFailed && !_hasExtended)
        {
            return;
        }

        // A writer that starts beyond the end of the file and has written nothing leaves no gap.
        end = end == _start ? _startLength : Math.Max(_startLength, end);
        long length = _handle.Length;
        if (length > end && length <= Math.Max(_hasExtended ? _reservedTo : 0, hasFailed ? reached : 0))
        {
            // Another process might append between these two calls: see docs/decisions/0005-cached-writes-and-space.md.
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
