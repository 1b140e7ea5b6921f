using Sluice.Uring.Abi;

namespace Sluice.Copying;

/// <summary>
/// One of the names of what has several: its folder, and its name there, ended by a NUL.
/// </summary>
internal readonly record struct HardLinkName(TreePath Folder, byte[] Name, Statx Stat);
