namespace Sluice.Memory;

/// <summary>
/// The thread without its context, until this is disposed of. A context that asks for it (SetWaitNotificationRequired) is told by .NET of
/// each wait for a lock: that is the caller's code, and comes where something of the library's stands half done.
/// </summary>
internal readonly ref struct Untold
{
    private readonly SynchronizationContext? _context;

    public Untold()
    {
        if (SynchronizationContext.Current is { } context && context.IsWaitNotificationRequired())
        {
            _context = context;
            SynchronizationContext.SetSynchronizationContext(null);
        }
    }

    public void Dispose()
    {
        if (_context is not null)
        {
            SynchronizationContext.SetSynchronizationContext(_context);
        }
    }
}
