using System.Runtime.CompilerServices;

namespace Sluice.Errors;

/// <summary>
/// Associates an exception of a write with the number of bytes that were written before it. A caller that writes the remaining bytes again
/// must skip these if the file cannot seek or appends. Thread-safe.
/// </summary>
internal static class PartialWrite
{
    /// <summary>
    /// The parts by exception. They are not stored in the exception, because it may be the caller's object and may be thrown again for
    /// another file.
    /// </summary>
    private static readonly ConditionalWeakTable<Exception, Part> Parts = [];

    /// <summary>Stores the number of bytes for an exception, and returns the exception.</summary>
    /// <param name="error">The exception.</param>
    /// <param name="file">The object that was written to.</param>
    /// <param name="bytes">The number of bytes written.</param>
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

    /// <summary>Returns the number of bytes that were written to this file before the exception, or 0 if unknown.</summary>
    public static int Of(Exception error, object file) =>
        Parts.TryGetValue(error, out Part? part) && ReferenceEquals(part.File, file) ? (int)part.Bytes : 0;

    private sealed record Part(object File, long Bytes);
}
