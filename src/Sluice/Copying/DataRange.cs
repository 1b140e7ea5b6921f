using System.Runtime.Versioning;
using Sluice.Errors;
using Sluice.Kernel;
using Sluice.Uring;

namespace Sluice.Copying;

/// <summary>A range of a file that contains data, in bytes. Between the ranges are holes.</summary>
internal readonly record struct DataRange(long Begin, long End)
{
    /// <summary>
    /// Returns the data ranges of a file from <paramref name="from"/> on. They begin and end at multiples of <paramref name="alignment"/>
    /// or at the end of the file. The rest of the file is returned as one range if the file system does not report holes, or if its answers
    /// are inconsistent. The part that a file has lost by truncation is also returned as a range, so that the reader notices it.
    /// </summary>
    [SupportedOSPlatform("linux")]
    public static List<DataRange> Find(int fd, long from, long length, int alignment, string path)
    {
        List<DataRange> ranges = [];
        for (long at = from; at < length;)
        {
            long begin = CopyCalls.FindData(fd, at);
            if (begin == -Errno.ENXIO)
            {
                if (IsCut(fd, length))
                {
                    ranges.Add(new DataRange(at, length));
                }

                break;
            }

            if (begin is -Errno.EINVAL or -Errno.EOPNOTSUPP)
            {
                return [new DataRange(from, length)];
            }

            PathErrors.ThrowIfFailed((int)Math.Min(begin, 0), "Looking for holes in", path);
            long end = CopyCalls.FindHole(fd, begin);
            end = end == -Errno.ENXIO && IsCut(fd, length) ? length : end;
            PathErrors.ThrowIfFailed((int)Math.Min(end, 0), "Looking for holes in", path);

            if (begin >= length)
            {
                // The file is longer than the range to copy, and its next data is after that range.
                break;
            }

            // If holes are punched concurrently, or the file system returns invalid offsets, the rest is one range: the loop might never
            // end otherwise.
            end = end <= at || end < begin ? length : end;
            begin = Math.Max(begin / alignment * alignment, from);
            end = Math.Min((end + alignment - 1) / alignment * alignment, length);
            if (ranges.Count > 0 && ranges[^1].End >= begin)
            {
                begin = ranges[^1].Begin;
                ranges.RemoveAt(ranges.Count - 1);
            }

            ranges.Add(new DataRange(begin, end));
            at = end;
        }

        return ranges;
    }

    /// <summary>
    /// Returns true if a file has become shorter. The part after its end looks like a hole, and must be read to find the end.
    /// </summary>
    private static bool IsCut(int fd, long length) => Libc.LengthOf(fd) < length;
}
