using System.Runtime.CompilerServices;
using System.Text;

namespace Sluice.Files;

/// <summary>
/// The number of bytes that an asynchronous call transfers on the calling thread. Data in the page cache is transferred without waiting;
/// without a limit, a large file would occupy the caller for a long time.
/// </summary>
internal static class InlineLimit
{
    /// <summary>The maximum number of bytes of a whole file that are read on the calling thread (0010).</summary>
    public const int Bytes = 1 << 20;

    /// <summary>
    /// Continues on a thread-pool thread if <paramref name="bytes"/> exceeds the limit. Only the outermost method may await this: a nested
    /// method may have completed before its caller awaits it, and the caller would then continue on its own thread.
    /// </summary>
    public static ConfiguredTaskAwaitable SwitchThreadIfAboveAsync(long bytes) => Task.CompletedTask.ConfigureAwait(
        bytes > Bytes ? ConfigureAwaitOptions.ForceYielding : ConfigureAwaitOptions.None);

    /// <summary>
    /// Returns an upper bound of the encoded size of a text, in bytes. If the text exceeds the limit in any case, returns its number of
    /// characters, because an encoding may refuse to compute the size.
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
            // The encoding's size exceeds an int, for example because of a long replacement for each character.
            return long.MaxValue;
        }
    }
}
