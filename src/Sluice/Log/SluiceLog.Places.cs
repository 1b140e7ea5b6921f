using Sluice.Log;
using Sluice.Log.Stages;

namespace Sluice;

// A place for a record in the log's memory: it is taken, filled, and what is wanted is waited for.
public sealed partial class SluiceLog
{
    private Placed Take(int bytes, int count)
    {
        while (true)
        {
            if (TryTake(bytes, count, out Placed place, out long waitFor))
            {
                return place;
            }

            WaitForRoom(waitFor);
        }
    }

    /// <summary>
    /// False where all memory, or more than enough of full segments, waits, and the options say to wait too; or where a tail is just being
    /// dropped.
    /// </summary>
    private bool TryTake(int bytes, int count, out Placed place, out long waitFor)
    {
        waitFor = 0;
        while (true)
        {
            LogPage page = _ring.Active;
            if (page.TryTake(bytes, count, out int offset, out long sequence))
            {
                place = new Placed(page, offset, sequence);
                return true;
            }

            switch (_ring.Turn(page, out waitFor))
            {
                case TurnResult.Closed:
                    LogErrors.ThrowClosed(Directory);
                    break;
                case TurnResult.Thawing:
                    (place, waitFor) = (default, Thaw);
                    return false;
                case TurnResult.Full when !_settings.WaitWhenFull:
                    _writes.Signal();
                    LogErrors.ThrowFull(Directory, (long)_settings.Pages * _settings.PageBytes);
                    break;
                case TurnResult.Full:
                    place = default;
                    return false;
                default:
                    _writes.Signal();
                    if (_output.IsBehind)
                    {
                        // Whoever fills pages faster than segments can be synced and closed waits here.
                        (place, waitFor) = (default, Keeper);
                        return _settings.WaitWhenFull ? false : throw LogErrors.Behind(Directory);
                    }

                    break;
            }
        }
    }

    /// <summary>The place is filled; whether what is wanted has to be waited for.</summary>
    private bool EndCopy(Placed place, int bytes, int count, LogDurability durability)
    {
        bool waits = durability != LogDurability.Buffered;

        // Read before the copy ends: afterwards the page may be another one's.
        int offset = place.Offset;
        int start = _output.PageStart;
        place.Page.EndCopy(bytes, count);
        if (offset == start && !waits)
        {
            // Who waits for a write or a sync sees to it; what others put behind such a record is written with it.
            _writes.Rouse();
        }

        if (offset < _flushAt && offset + bytes >= _flushAt)
        {
            _writes.SignalFlush();
        }

        return waits;
    }

    private void Wait(LogDurability durability, long sequence, int ownRecords, Placed place, int epoch = 0)
    {
        bool isDurable = durability == LogDurability.Durable;
        if (sequence <= (isDurable ? _syncs.Durable : _writes.Written))
        {
            return;
        }

        SyncWaiter waiter = SyncWaiter.Rent();
        waiter.Begin(sequence, ownRecords, place, epoch);
        try
        {
            if (isDurable)
            {
                _syncs.Waiters.Push(waiter);
                _syncs.RouseWritesIfBusy();
                FailIfDropped(sequence);
                _syncs.Await(waiter);
            }
            else
            {
                _writes.Waiters.Push(waiter);
                FailIfDropped(sequence);
                _writes.Await(waiter);
            }
        }
        finally
        {
            waiter.Return();
        }
    }

    /// <summary>Throws if this thread has an open reservation: the call might wait for the record that the thread holds up.</summary>
    internal void ThrowIfReserved()
    {
        if (OpenReservation.In(this) is not null)
        {
            LogErrors.ThrowReserved(Directory);
        }
    }

    /// <summary>Withdraws the reservations that an exception has left open on this thread, so that closing does not wait for it.</summary>
    private void WithdrawReservation()
    {
        while (OpenReservation.In(this) is { } open)
        {
            new LogReservation(this, open).Dispose();
        }
    }
}
