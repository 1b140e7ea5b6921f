using System.Runtime.CompilerServices;

namespace Sluice.Errors;

/// <summary>
/// How many bytes of a write have gone out although it failed, kept beside its exception: what cannot seek, and a file that appends, would
/// have them twice if whoever keeps them for another try sent them again. Thread-safe.
/// </summary>
internal static class PartialWrite
{
    /// <summary>Not with the exception: it may be a caller's own, or one that a caller was given elsewhere and throws again.</summary>
    private static readonly ConditionalWeakTable<Exception, Part> Parts = [];

    /// <summary>The exception of a write, with that number.</summary>
    /// <param name="error">The exception.</param>
    /// <param name="file">What was written to.</param>
    /// <param name="bytes">How many have gone out.</param>
    public static Exception Note(Exception error, object file, long bytes)
    {
        if (bytes > 0)
        {
            Parts.AddOrUpdate(error, new Part(file, bytes));
        }
        else
        {
            _ = Parts.Remove(error);
        }

        return error;
    }

    /// <summary>How many have gone out to this file, as far as is known.</summary>
    public static int Of(Exception error, object file) =>
        Parts.TryGetValue(error, out Part? part) && ReferenceEquals(part.File, file) ? (int)part.Bytes : 0;

    private sealed record Part(object File, long Bytes);
}
