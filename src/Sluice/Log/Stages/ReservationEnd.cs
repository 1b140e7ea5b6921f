namespace Sluice.Log.Stages;

/// <summary>
/// Whether a reservation has ended, for all copies of it. Reservations stay on the stack of one thread, and so does this: each thread keeps
/// those that it has used.
/// </summary>
internal sealed class ReservationEnd
{
    /// <summary>Those of this thread that no reservation has: a reservation takes no lock for one.</summary>
    [ThreadStatic]
    private static ReservationEnd? t_kept;

    private ReservationEnd? _next;

    /// <summary>The use that has not ended: each reservation is one, and has its number.</summary>
    public long Use { get; private set; }

    /// <summary>One for a reservation, whose number is <see cref="Use"/>.</summary>
    public static ReservationEnd Rent()
    {
        ReservationEnd end = t_kept ?? new ReservationEnd();
        (t_kept, end._next) = (end._next, null);
        return end;
    }

    /// <summary>Ends a use; false where it has ended before.</summary>
    public bool TryEnd(long use)
    {
        if (Use != use)
        {
            return false;
        }

        Use++;
        (_next, t_kept) = (t_kept, this);
        return true;
    }
}
