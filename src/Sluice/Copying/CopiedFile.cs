using Sluice.Uring.Abi;

namespace Sluice.Copying;

/// <summary>A file that was copied or skipped.</summary>
/// <param name="Result">The result.</param>
/// <param name="Refused">The first error with which the target's file system refused metadata. The file stays nevertheless.</param>
/// <param name="Made">The state of the copy; null for a file that was skipped.</param>
internal sealed record CopiedFile(CopyResult Result, Exception? Refused = null, Statx? Made = null);
