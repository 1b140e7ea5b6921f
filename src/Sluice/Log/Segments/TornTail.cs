using Sluice.Log.Folders;
using Sluice.Log.Frames;

namespace Sluice.Log.Segments;

/// <summary>
/// Bytes behind the end of a log that are no record, as a reader meets them, time and again while it follows. How many there are is counted
/// when somebody asks: they may stand before much reserved space.
/// </summary>
internal sealed class TornTail(string path, long offset, long sequence, string reason)
{
    private SluiceLogCut? _cut;

    public string Path => path;

    public long Offset => offset;

    public string Reason => reason;

    /// <summary>With as many bytes as there are when it is asked for first; 0 where the file cannot be read then.</summary>
    public SluiceLogCut Cut => _cut ??= new SluiceLogCut(path, offset, Count(), sequence, reason);

    private long Count()
    {
        try
        {
            using SluiceHandle file = LogFile.OpenToRead(path);
            return FrameScanner.CountUnwrittenBytes(file, offset);
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            return 0;
        }
    }
}
