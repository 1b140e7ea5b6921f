using Sluice.Log;
using Sluice.Log.Appending;

namespace Sluice;

// Reserves and fills space in the log's memory, and waits for the requested durability.
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

            WaitForRoom(waitFor, place.Epoch);
        }
    }

    /// <summary>Reserves space for records. Returns false if the caller must wait before it tries again.</summary>
    /// <param name="bytes">The size of the records.</param>
    /// <param name="count">The number of records.</param>
    /// <param name="place">The place of the records; if no space was reserved, only its epoch is set.</param>
    /// <param name="waitFor">The parameter of <see cref="WaitForRoom"/>.</param>
    private bool TryTake(int bytes, int count, out Placed place, out long waitFor)
    {
        (place, waitFor) = (default, 0);
        while (true)
        {
            if (_committer.Stopped is { } failure)
            {
                ThrowIfClosed();
                throw LogErrors.Failed(Directory, "Appending to", failure);
            }

            LogPage page = _ring.Active;
            if (page.TryTake(bytes, count, out int offset, out long sequence))
            {
                place = new Placed(page, offset, sequence, page.Epoch);
                return true;
            }

            TurnResult turned = _ring.Turn(page, out waitFor, out int epoch);
            place = new Placed(null, 0, 0, epoch);
            switch (turned)
            {
                case TurnResult.Closed:
                    LogErrors.ThrowClosed(Directory);
                    break;
                case TurnResult.Frozen:
                    return false;
                case TurnResult.Full when !_settings.WaitWhenFull:
                    _committer.Signal();
                    LogErrors.ThrowFull(Directory, (long)_settings.Pages * _settings.PageBytes);
                    break;
                case TurnResult.Full:
                    return false;
                default:
                    _committer.Signal();
                    if (_output.IsBackedUp)
                    {
                        // Appends that fill pages faster than segments can be synced and closed wait here.
                        _keeper.Signal();
                        return _settings.WaitWhenFull ? false : throw LogErrors.BackedUp(Directory);
                    }

                    break;
            }
        }
    }

    /// <summary>Marks reserved space as filled.</summary>
    /// <returns>True if the caller waits for a write or sync.</returns>
    private bool EndCopy(in Placed place, int bytes, int count, LogDurability durability)
    {
        place.Page!.EndCopy(bytes, count);
        bool waits = durability != LogDurability.Buffered;
        if (place.Offset == _output.PageStart && !waits)
        {
            // A caller that waits writes the page itself. For a buffered record, the first one of a page starts the interval.
            _committer.Rouse();
        }

        return waits;
    }

    private void Wait(LogDurability durability, long sequence, in Placed place, int ownRecords)
    {
        if (durability == LogDurability.Durable)
        {
            _committer.WaitDurable(sequence, place, ownRecords);
        }
        else
        {
            _committer.WaitWritten(sequence, place, ownRecords);
        }
    }
}
