using System.Runtime.Versioning;
using Sluice.Errors;
using Sluice.Kernel;
using Sluice.Uring;
using Sluice.Uring.Abi;

namespace Sluice.Copying;

/// <summary>Whether an entry of a tree has its copy: of its kind and length, not older than what its source is now.</summary>
[SupportedOSPlatform("linux")]
internal static class TreeCheck
{
    // Times of FAT are in steps of two seconds.
    private const long TimeStepSeconds = 2;

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
        else if (there.Mtime.Seconds < stat.Mtime.Seconds - TimeStepSeconds)
        {
            throw new IOException($"{verb} it was written after '{to.Text}' was made{Again}");
        }
    }
}
