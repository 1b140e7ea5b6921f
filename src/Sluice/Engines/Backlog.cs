namespace Sluice.Engines;

/// <summary>
/// Operations that wait for room in a ring, in order; one that is cancelled leaves from the middle. Those that may wait for ever have a
/// line of their own, so that nobody waits behind them. For who has the submission lock.
/// </summary>
internal sealed class Backlog
{
    private readonly Line _ending = new();
    private readonly Line _waiting = new();

    /// <summary>Any of them; null where there is none.</summary>
    public IoOperation? First => _ending.First ?? _waiting.First;

    /// <summary>The next that there is room for; null where there is none.</summary>
    public IoOperation? NextFor(SlotTable slots) =>
        _ending.First is { } ending && slots.HasRoomFor(ending) ? ending
        : _waiting.First is { } waiting && slots.HasRoomFor(waiting) ? waiting
        : null;

    public void Add(IoOperation operation) => LineOf(operation).Add(operation);

    /// <summary>False where it is not in here.</summary>
    public bool TryRemove(IoOperation operation) => LineOf(operation).TryRemove(operation);

    private Line LineOf(IoOperation operation) => operation.WaitsForOthers ? _waiting : _ending;

    private sealed class Line
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
}
