using Sluice.Log.Folders;
using Sluice.Log.Frames;

namespace Sluice.Log.Segments;

/// <summary>What writes that fail leave in a segment.</summary>
internal sealed partial class SegmentFile
{
    /// <summary>How far writes that failed may have left bytes behind the last frame.</summary>
    private long _failedTo;

    /// <summary>
    /// How often the file may have been cut; counted before it is. Where it ever was, what marks say of zeros on the disk is not believed:
    /// a sync whose mark was taken before may end after it.
    /// </summary>
    private int _cuts;

    /// <summary>
    /// How many of them are on the disk. A segment that is left has its last one there before anything behind it is durable: else a power
    /// cut could bring back what was cut off.
    /// </summary>
    private int _cutsOnDisk;

    /// <summary>
    /// Before the log goes on in another segment: cuts off what failed to be written behind the last frame. Nobody writes there again, and
    /// readers would take it for a frame, and find that the next segment begins too early.
    /// </summary>
    /// <exception cref="IOException">It may still be there; the next call tries again.</exception>
    public void CutFailed() => CutFailed(Offset);

    private void WriteAt(ReadOnlySpan<byte> frame, long offset)
    {
        CutFailedAndReserve(offset);
        try
        {
            LogFile.Write(_handle, frame, offset);
        }
        catch
        {
            _failedTo = Math.Max(_failedTo, offset + frame.Length);
            Erase(offset);
            throw;
        }
    }

    /// <summary>As <see cref="CutFailed(long)"/>, where frames follow: what was reserved is reserved again, if it can be.</summary>
    private void CutFailedAndReserve(long offset)
    {
        if (_failedTo > offset)
        {
            bool wasReserved = _handle.Length >= _settings.SegmentBytes;
            CutFailed(offset);
            if (wasReserved)
            {
                Reserve();
            }
        }
    }

    /// <summary>
    /// What failed before may have left bytes behind the last frame. They are not to make a frame whole of which a part is written, nor to
    /// stand behind a shorter one. They are cut off, and not written over with zeros: on a full disk there may be no space for those where
    /// each write takes new space. Nothing that is to stay may be behind the offset. No reader has a map of the file, and for all of them a
    /// frame that a shorter file does not have is not written yet.
    /// </summary>
    private void CutFailed(long offset)
    {
        if (_failedTo > offset)
        {
            Volatile.Write(ref _cuts, _cuts + 1);
            LogFile.SetLength(_handle, offset);
            _failedTo = 0;
        }
    }

    /// <summary>
    /// What failed to be written may be there, as a whole even where it ends in zeros: nobody is to take it for a frame. Where this fails,
    /// too, it is there until it is cut off.
    /// </summary>
    private void Erase(long offset)
    {
        try
        {
            Span<byte> zeros = stackalloc byte[LogLayout.FrameHeaderBytes];
            zeros.Clear();
            if (_handle.Length > offset)
            {
                LogFile.Write(_handle, zeros, offset);
            }
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException or ObjectDisposedException)
        {
        }
    }
}
