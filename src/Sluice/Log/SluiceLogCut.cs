namespace Sluice;

/// <summary>
/// Bytes at the end of a log that are no records: cut when it was opened for writing (<see cref="SluiceLog.Cut"/>), or found by a reader,
/// which changes nothing (<see cref="SluiceLogReader.Tail"/>).
/// </summary>
/// <param name="Path">The last segment.</param>
/// <param name="FileOffset">Where they begin, in bytes.</param>
/// <param name="Bytes">How many, up to the last that is not zero.</param>
/// <param name="Sequence">The first record that is not there.</param>
/// <param name="Reason">Why they are no records.</param>
public sealed record SluiceLogCut(string Path, long FileOffset, long Bytes, long Sequence, string Reason);
