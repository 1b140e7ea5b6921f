using Sluice.Log.Frames;

namespace Sluice.Log.Stages;

/// <summary>The state that all copies of a reservation share. Each thread reuses its own, since a reservation does not leave its thread.</summary>
internal sealed class OpenReservation
{
    [ThreadStatic]
    private static OpenReservation? t_kept;

    private OpenReservation? _next;
    private int _bytes;

    /// <summary>The number of reservations that have ended, which tells a reservation from a later one.</summary>
    public long Use { get; private set; }

    public Placed Place { get; private set; }

    /// <summary>The bytes of the record, while it is open.</summary>
    public Span<byte> Record => Place.Page!.Bytes.Slice(Place.Offset + LogLayout.RecordHeaderBytes, _bytes);

    public static OpenReservation Rent(in Placed place, int bytes)
    {
        OpenReservation open = t_kept ?? new OpenReservation();
        (t_kept, open._next) = (open._next, null);
        (open.Place, open._bytes) = (place, bytes);
        return open;
    }

    /// <summary>Ends a reservation; returns false if it has ended before.</summary>
    public bool TryEnd(long use)
    {
        if (Use != use)
        {
            return false;
        }

        Use++;
        Place = default;
        (_next, t_kept) = (t_kept, this);
        return true;
    }
}
