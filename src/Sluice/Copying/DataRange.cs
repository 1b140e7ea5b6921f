using System.Runtime.Versioning;
using Sluice.Errors;
using Sluice.Kernel;
using Sluice.Uring;

namespace Sluice.Copying;

/// <summary>A stretch of a file that holds data, in bytes; between them are holes, which read as zeros and take no room.</summary>
internal readonly record struct DataRange(long Begin, long End)
{
    /// <summary>
    /// The stretches of a file from <paramref name="from"/> on, beginning and ending at multiples of <paramref name="alignment"/> or
    /// at the end of the file; one for all where the file system does not tell. What a file that was cut meanwhile has lost is one, too,
    /// and so is all that is left where no stretch can be found that ends.
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
                // A file that is longer than what is looked at: the data is behind it.
                break;
            }

            // Somebody makes holes where data was found, or a file system answers anything: looking on might never end.
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
    /// Whether a file has become shorter: what is behind its end looks like a hole, and whoever reads there finds the end.
    /// </summary>
    private static bool IsCut(int fd, long length) => Libc.LengthOf(fd) < length;
}
