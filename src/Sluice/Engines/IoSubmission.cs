namespace Sluice;

/// <summary>Describes a submission to an <see cref="InterceptingEngine"/>.</summary>
/// <param name="IsRead"><see langword="true"/> if the submission transfers bytes from the file into memory.</param>
/// <param name="IsWrite">
/// <see langword="true"/> if the submission transfers bytes from memory into the file, by a write or an append.
/// </param>
/// <param name="FileOffset">The offset in the file, in bytes; -1 for appends, flushes and files that cannot seek.</param>
/// <param name="Length">The number of bytes to transfer.</param>
/// <remarks>A submission that is neither a read nor a write is a flush. This type is immutable and therefore thread-safe.</remarks>
public readonly record struct IoSubmission(bool IsRead, bool IsWrite, long FileOffset, int Length);
