namespace Sluice.Engines;

/// <summary>
/// Operations that wait for room in a ring, in order; one that is cancelled leaves from the middle. For who has the submission lock.
/// </summary>
internal sealed class Backlog
{
    private IoOperation? _last;

    public IoOperation? First { get; private set; }

    public void Add(IoOperation operation)
    {
        operation.Next = null;
        operation.Previous = _last;
        if (_last is null)
        {
            First = operation;
        }
        else
        {
            _last.Next = operation;
        }

        _last = operation;
    }

    /// <summary>False where it is not in here.</summary>
    public bool TryRemove(IoOperation operation)
    {
        if (operation != First && operation.Previous is null)
        {
            return false;
        }

        if (operation.Previous is { } previous)
        {
            previous.Next = operation.Next;
        }
        else
        {
            First = operation.Next;
        }

        if (operation.Next is { } next)
        {
            next.Previous = operation.Previous;
        }
        else
        {
            _last = operation.Previous;
        }

        operation.Next = null;
        operation.Previous = null;
        return true;
    }
}
