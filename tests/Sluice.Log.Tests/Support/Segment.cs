using Sluice.Log.Folders;
using Sluice.Log.Segments;

namespace Sluice.Log.Tests.Support;

internal static class Segment
{
    /// <summary>Header, opening and footer of a file; null where it has no header.</summary>
    public static SegmentInfo? Read(string path, long id)
    {
        using SluiceHandle file = LogFile.OpenToRead(path);
        return SegmentInfo.Read(file, id);
    }
}
