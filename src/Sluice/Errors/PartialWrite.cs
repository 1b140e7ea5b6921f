namespace Sluice.Errors;

/// <summary>
/// How many bytes of a write have gone out although it failed, kept with its exception: what cannot seek, and a file that appends, would
/// have them twice if whoever keeps them for another try sent them again.
/// </summary>
internal static class PartialWrite
{
    private const string Key = "Sluice.BytesWritten";

    /// <summary>The exception, which was made for this one write, with that number.</summary>
    public static Exception Note(Exception error, long bytes)
    {
        if (bytes > 0)
        {
            error.Data[Key] = bytes;
        }

        return error;
    }

    /// <summary>How many have gone out, as far as is known.</summary>
    public static int Of(Exception error) => error.Data[Key] is long bytes ? (int)bytes : 0;
}
