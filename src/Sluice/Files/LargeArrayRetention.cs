namespace Sluice.Files;

/// <summary>
/// Keeps the newest array on the large object heap alive until the next full collection has ended. Without it, the collection returns the
/// unused end of that heap to the operating system, and the next array causes page faults: reading 0.66 MB then takes 350 us instead of 80.
/// </summary>
internal sealed class LargeArrayRetention
{
    /// <summary>The size from which .NET allocates an array on the large object heap, in bytes.</summary>
    private const int MinBytes = 85_000;

    /// <summary>The maximum size of an array that is kept alive, in bytes (0010).</summary>
    private const int MaxBytes = 4 << 20;

    private static byte[]? s_newest;
    private static int s_isWatched;

    private LargeArrayRetention()
    {
    }

    ~LargeArrayRetention()
    {
        // Stays registered until a collection passes in which no array was read.
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
                _ = new LargeArrayRetention();
            }
        }

        return array;
    }
}
