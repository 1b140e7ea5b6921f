using Sluice.Log;
using Sluice.Log.Appending;

namespace Sluice;

// Reserves and fills space in the log's memory, and waits for the requested durability.
public sealed partial class SluiceLog
{
    /// <summary>Reserves space for records. Waits until there is enough.</summary>
    private PageReservation ReserveSpace(int bytes, int count)
    {
        while (true)
        {
            if (TryReserveSpace(bytes, count, out PageReservation reserved, out long waitFor))
            {
                return reserved;
            }

            WaitForRoom(waitFor, reserved.Epoch);
        }
    }

    /// <summary>Reserves space for records. Returns false if the caller must wait before it calls this method again.</summary>
    /// <param name="bytes">The size of the records.</param>
    /// <param name="count">The number of records.</param>
    /// <param name="reserved">The reserved space; if none was reserved, only its epoch is set.</param>
    /// <param name="waitFor">The parameter of <see cref="WaitForRoom"/>.</param>
    private bool TryReserveSpace(int bytes, int count, out PageReservation reserved, out long waitFor)
    {
        (reserved, waitFor) = (default, 0);
        while (true)
        {
            if (_committer.Stopped is { } failure)
            {
                ThrowIfClosed();
                throw LogErrors.Failed(Directory, "Appending to", failure);
            }

            LogPage page = _ring.Active;
            if (page.TryReserve(bytes, count, out int offset, out long sequence))
            {
                reserved = new PageReservation(page, offset, sequence, page.Epoch);
                return true;
            }

            ActivationResult result = _ring.ActivateNext(page, out waitFor, out int epoch);
            reserved = new PageReservation(null, 0, 0, epoch);
            switch (result)
            {
                case ActivationResult.Closed:
                    LogErrors.ThrowClosed(Directory);
                    break;
                case ActivationResult.Frozen:
                    return false;
                case ActivationResult.Full when !_settings.WaitWhenFull:
                    _committer.Signal();
                    LogErrors.ThrowFull(Directory, (long)_settings.Pages * _settings.PageBytes);
                    break;
                case ActivationResult.Full:
                    return false;
                default:
                    _committer.Signal();
                    if (_output.HasTooManyFull)
                    {
                        // Appends that fill pages faster than segments can be synced and closed wait here.
                        _keeper.Signal();
                        return _settings.WaitWhenFull ? false : throw LogErrors.TooManyFull(Directory);
                    }

                    break;
            }
        }
    }

    /// <summary>Marks reserved space as filled.</summary>
    /// <returns>True if the caller waits for a write or sync.</returns>
    private bool EndCopy(in PageReservation reserved, int bytes, int count, LogDurability durability)
    {
        reserved.Page!.EndCopy(bytes, count);
        bool waits = durability != LogDurability.Buffered;
        if (reserved.Offset == _output.PageStart && !waits)
        {
            // A caller that waits writes the page itself. For a buffered record, the first one of a page starts the interval.
            _committer.Rouse();
        }

        return waits;
    }

    private void Wait(LogDurability durability, long sequence, in PageReservation reserved, int ownRecords)
    {
        if (durability == LogDurability.Durable)
        {
            _committer.WaitDurable(sequence, reserved, ownRecords);
        }
        else
        {
            _committer.WaitWritten(sequence, reserved, ownRecords);
        }
    }
}
