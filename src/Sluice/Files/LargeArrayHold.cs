namespace Sluice.Files;

/// <summary>
/// Keeps the newest array of the large object heap until the next full collection has passed. A collection that finds that heap's end
/// empty gives its pages back, and each read into the next array then waits for its page faults: 0.66 MB in 350 us instead of 80.
/// </summary>
internal sealed class LargeArrayHold
{
    /// <summary>Bytes from which on an array is the large object heap's, .NET's own limit.</summary>
    private const int MinBytes = 85_000;

    /// <summary>Bytes of the largest array that is held for a while (0010).</summary>
    private const int MaxBytes = 4 << 20;

    private static byte[]? s_newest;
    private static int s_isWatched;

    private LargeArrayHold()
    {
    }

    ~LargeArrayHold()
    {
        // Where a read came since the last collection there will be more: watched on, until one passes without.
        if (Interlocked.Exchange(ref s_newest, null) is null || Environment.HasShutdownStarted)
        {
            Volatile.Write(ref s_isWatched, 0);
            return;
        }

        GC.ReRegisterForFinalize(this);
    }

    public static byte[] Keep(byte[] array)
    {
        if (array.Length is >= MinBytes and <= MaxBytes)
        {
            Volatile.Write(ref s_newest, array);
            if (Interlocked.Exchange(ref s_isWatched, 1) == 0)
            {
                _ = new LargeArrayHold();
            }
        }

        return array;
    }
}
