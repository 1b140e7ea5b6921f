namespace Sluice;

/// <summary>What was cut from the end of a log when it was opened for writing: records that were being written when it ended.</summary>
/// <param name="Path">The last segment.</param>
/// <param name="FileOffset">Where it was cut, in bytes.</param>
/// <param name="Bytes">How many bytes were cut, up to the last that was not zero.</param>
/// <param name="Sequence">The first record that is not there; the next append gets it.</param>
/// <param name="Reason">Why they were no records.</param>
public sealed record SluiceLogCut(string Path, long FileOffset, long Bytes, long Sequence, string Reason);
