namespace Sluice.Engines;

/// <summary>
/// Operations for which a ring has no slot, in their order. Those that may wait forever have a queue of their own, so that no other
/// operation waits behind them. Accessed under the submission lock.
/// </summary>
internal sealed class Backlog
{
    private readonly LinkedList<IoOperation> _ending = new();
    private readonly LinkedList<IoOperation> _endless = new();

    /// <summary>The first of the operations, or null.</summary>
    public IoOperation? First => (_ending.First ?? _endless.First)?.Value;

    /// <summary>The next operation for which there is a slot; otherwise, null.</summary>
    public IoOperation? NextFor(SlotTable slots) =>
        _ending.First is { Value: { } ending } && slots.HasRoomFor(ending) ? ending
        : _endless.First is { Value: { } endless } && slots.HasRoomFor(endless) ? endless
        : null;

    public void Add(IoOperation operation) =>
        operation.BacklogNode = (operation.WaitsForOthers ? _endless : _ending).AddLast(operation);

    /// <summary>Removes an operation. Returns false if it is in no backlog.</summary>
    public static bool TryRemove(IoOperation operation)
    {
        if (operation.BacklogNode is not { } node)
        {
            return false;
        }

        operation.BacklogNode = null;
        node.List!.Remove(node);
        return true;
    }
}
