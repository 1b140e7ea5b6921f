namespace Sluice;

/// <summary>One submission as an <see cref="InterceptingEngine"/> sees it; what neither reads nor writes is a flush.</summary>
/// <param name="IsRead">Bytes go from the file into memory.</param>
/// <param name="IsWrite">Bytes go from memory into the file, appends included.</param>
/// <param name="FileOffset">Where it begins, in bytes; -1 for appends, flushes and files without offsets.</param>
/// <param name="Length">How much it is to transfer, in bytes.</param>
public readonly record struct IoSubmission(bool IsRead, bool IsWrite, long FileOffset, int Length);
