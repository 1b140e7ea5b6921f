using Sluice.Log.Frames;

namespace Sluice.Log.Stages;

/// <summary>
/// What all copies of a reservation share, from its beginning to its end. Reservations stay on the stack of one thread, and so does this:
/// each thread knows those that it has open, and keeps those that it has used.
/// </summary>
internal sealed class OpenReservation
{
    /// <summary>Those of this thread that have not ended: what would wait for one of them on this thread is refused.</summary>
    [ThreadStatic]
    private static OpenReservation? t_open;

    /// <summary>Those of this thread that no reservation has: a reservation takes no lock for one.</summary>
    [ThreadStatic]
    private static OpenReservation? t_kept;

    private OpenReservation? _next;
    private object? _log;
    private int _bytes;

    /// <summary>The use that has not ended: each reservation is one, and has its number.</summary>
    public long Use { get; private set; }

    /// <summary>Where the record is to stand.</summary>
    public Placed Place { get; private set; }

    /// <summary>The record's bytes, while it is open.</summary>
    public Span<byte> Record => Place.Page!.Bytes.Slice(Place.Offset + LogLayout.RecordHeaderBytes, _bytes);

    /// <summary>One for a reservation that has no place yet.</summary>
    public static OpenReservation Rent()
    {
        OpenReservation open = t_kept ?? new OpenReservation();
        (t_kept, open._next) = (open._next, null);
        return open;
    }

    /// <summary>One that this thread has open in a log; null where there is none.</summary>
    public static OpenReservation? In(object log)
    {
        OpenReservation? open = t_open;
        while (open is not null && open._log != log)
        {
            open = open._next;
        }

        return open;
    }

    /// <summary>It has a place, and is open until its end.</summary>
    /// <param name="log">Which log's.</param>
    /// <param name="place">Where.</param>
    /// <param name="bytes">The record's length.</param>
    public void Begin(object log, Placed place, int bytes)
    {
        (_log, Place, _bytes) = (log, place, bytes);
        (_next, t_open) = (t_open, this);
    }

    /// <summary>Ends a use; false where it has ended before.</summary>
    public bool TryEnd(long use)
    {
        if (Use != use)
        {
            return false;
        }

        Use++;
        ref OpenReservation? link = ref t_open;
        while (link is not null && link != this)
        {
            link = ref link._next;
        }

        link = link?._next;

        // What is kept keeps no log.
        (_log, Place) = (null, default);
        (_next, t_kept) = (t_kept, this);
        return true;
    }
}
