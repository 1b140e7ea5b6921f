namespace Sluice.Log.Appending;

/// <summary>Space for records in a page, reserved by the thread that appends them.</summary>
/// <param name="Page">The page; null for a caller that has reserved none.</param>
/// <param name="Offset">The offset of the first record in the page.</param>
/// <param name="FirstSequence">The sequence number of the first record.</param>
/// <param name="Epoch">The ring's epoch when the space was reserved. In a later epoch, the page may contain other records.</param>
internal readonly record struct PageReservation(LogPage? Page, int Offset, long FirstSequence, int Epoch);
