using System.Runtime.CompilerServices;

namespace Sluice.Files;

/// <summary>
/// The number of bytes that an asynchronous call transfers on the calling thread. Data in the page cache is transferred without waiting;
/// without a limit, a large file would occupy the caller for a long time.
/// </summary>
internal static class InlineLimit
{
    /// <summary>The maximum number of bytes of a whole file that are transferred on the calling thread.</summary>
    public const int Bytes = 1 << 20;

    /// <summary>The assumed number of bytes of a UTF-16 code unit in any encoding.</summary>
    public const long BytesPerChar = 4;

    /// <summary>
    /// Continues on a thread-pool thread if <paramref name="bytes"/> exceeds the limit. Only the outermost method may await this: a nested
    /// method may have completed before its caller awaits it, and the caller would then continue on its own thread.
    /// </summary>
    public static ConfiguredTaskAwaitable SwitchThreadIfAboveAsync(long bytes) => Task.CompletedTask.ConfigureAwait(
        bytes > Bytes ? ConfigureAwaitOptions.ForceYielding : ConfigureAwaitOptions.None);
}
