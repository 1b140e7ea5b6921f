using Sluice.Uring.Abi;

namespace Sluice.Copying;

/// <summary>
/// One of the names of what has several: its folder's path from the root of the tree, and its name there, ended by a NUL.
/// </summary>
internal readonly record struct HardLinkName(byte[] Folder, byte[] Name, Statx Stat);
