using System.Runtime.Versioning;
using Sluice.Errors;
using Sluice.Kernel;
using Sluice.Uring;
using Sluice.Uring.Abi;

namespace Sluice.Copying;

/// <summary>Whether an entry of a tree has its copy: of its kind, with the length and the time that its source has now.</summary>
[SupportedOSPlatform("linux")]
internal static class TreeCheck
{
    private const long NanosecondsPerSecond = 1_000_000_000;

    private const string Again = "; its shard has to be run again.";

    /// <exception cref="IOException">It has none.</exception>
    public static void ThrowIfNoCopy(in NodePath from, in Statx stat, in NodePath to)
    {
        string verb = $"Finishing the copy of '{from.Text}' failed:";
        int result = NodeCalls.Stat(to, followsLinks: false, StatxMask.BasicStats, out Statx there);
        if (result == -Errno.ENOENT)
        {
            throw new FileNotFoundException($"{verb} '{to.Text}' is missing{Again}");
        }

        PathErrors.ThrowIfFailed(result, "Looking at the copy", to.Text);
        if ((there.Mode & Statx.TypeMask) != (stat.Mode & Statx.TypeMask))
        {
            throw new IOException($"{verb} '{to.Text}' is something else{Again}");
        }

        if (there.IsSame(stat))
        {
            throw new IOException($"'{from.Text}' and '{to.Text}' are the same file.");
        }

        if ((stat.Mode & Statx.TypeMask) != Statx.TypeRegular)
        {
            if (!NodeCopier.IsCopy(from, stat, to))
            {
                throw new IOException($"{verb} '{to.Text}' is not what its source is{Again}");
            }
        }
        else if (there.Size != stat.Size)
        {
            throw new IOException($"{verb} '{to.Text}' has {there.Size} bytes, and its source {stat.Size}{Again}");
        }
        else if (!IsTimeOf(there, stat.Mtime))
        {
            throw new IOException(
                $"{verb} '{to.Text}' has another time than its source: one was written since, or is something else of that length{Again}");
        }
    }

    /// <summary>
    /// Whether a file's time is the source's, rounded down as file systems do: NTFS, microseconds, exFAT, seconds, FAT. One that rounds it
    /// rounds the time of the last change, too, FAT to 10 ms; where that has finer parts, a time that is not the source's is another one.
    /// </summary>
    private static bool IsTimeOf(in Statx there, in StatxTimestamp source)
    {
        Int128 kept = NanosecondsOf(there.Mtime);
        Int128 changed = NanosecondsOf(there.Ctime);
        Int128 time = NanosecondsOf(source);
        return kept == time || IsRounded(100) || IsRounded(1000) || IsRounded(10_000_000) || IsRounded(NanosecondsPerSecond)
            || IsRounded(2 * NanosecondsPerSecond);

        bool IsRounded(long step) =>
            kept % step == 0 && time >= kept && time - kept < step && changed % Math.Min(step, 10_000_000) == 0;
    }

    private static Int128 NanosecondsOf(in StatxTimestamp time) => ((Int128)time.Seconds * NanosecondsPerSecond) + time.Nanoseconds;
}
