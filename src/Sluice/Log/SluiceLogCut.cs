namespace Sluice;

/// <summary>Describes bytes at the end of a log that are not a complete record.</summary>
/// <remarks>
/// <see cref="SluiceLog.Cut"/> describes bytes that were removed when the log was opened. <see cref="SluiceLogReader.Tail"/> describes
/// bytes that a reader found. This type is immutable and therefore thread-safe.
/// </remarks>
/// <param name="Path">The path of the file that contains the bytes.</param>
/// <param name="FileOffset">The offset of the first of these bytes in the file.</param>
/// <param name="Bytes">The number of bytes, not including zeros at the end.</param>
/// <param name="Sequence">
/// The sequence number after the last complete record of the log. The bytes may be the start of a record with this number.
/// </param>
/// <param name="Reason">A text that explains why the bytes are not a complete record.</param>
public sealed record SluiceLogCut(string Path, long FileOffset, long Bytes, long Sequence, string Reason)
{
    /// <summary>
    /// Gets the path of the file to which <see cref="SluiceLog.Open"/> saved the bytes before it removed them, or <see langword="null"/> if
    /// they were not removed or could not be saved.
    /// </summary>
    public string? SavedAs { get; init; }
}
