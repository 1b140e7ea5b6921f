namespace Sluice.Log.Appending;

/// <summary>The place of records in the ring.</summary>
/// <param name="Page">The page; null for a caller that has no records.</param>
/// <param name="Offset">The offset of the first record in the page.</param>
/// <param name="FirstSequence">The sequence number of the first record.</param>
/// <param name="Epoch">The ring's epoch when the space was reserved. In a later epoch, the page may contain other records.</param>
internal readonly record struct Placed(LogPage? Page, int Offset, long FirstSequence, int Epoch);
