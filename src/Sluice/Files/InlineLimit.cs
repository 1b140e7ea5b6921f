using System.Runtime.CompilerServices;
using System.Text;

namespace Sluice.Files;

/// <summary>
/// How much an asynchronous call does on its caller's thread. What lies in the page cache is transferred at once, and a loop of such
/// transfers would hold the caller for as long as the file is large.
/// </summary>
internal static class InlineLimit
{
    /// <summary>Bytes of a whole file that are read on the caller's thread (0010).</summary>
    public const int Bytes = 1 << 20;

    /// <summary>
    /// Goes on on a thread of the pool, where that many bytes are too many for the caller's. For the method that was called first: what
    /// awaits here further down may have ended before the caller's thread looks, and that thread would then go on with all the rest.
    /// </summary>
    public static ConfiguredTaskAwaitable LeaveCallerIfAboveAsync(long bytes) => Task.CompletedTask.ConfigureAwait(
        bytes > Bytes ? ConfigureAwaitOptions.ForceYielding : ConfigureAwaitOptions.None);

    /// <summary>
    /// The most bytes that a text may become; of one that is too long in any case its characters, which an encoding may refuse to count.
    /// </summary>
    public static long MaxBytes(Encoding encoding, int chars)
    {
        if (chars > Bytes)
        {
            return chars;
        }

        try
        {
            return encoding.GetMaxByteCount(chars);
        }
        catch (ArgumentOutOfRangeException)
        {
            // More than an int counts, as a long replacement for each character would be.
            return long.MaxValue;
        }
    }
}
