namespace Sluice.Engines;

/// <summary>
/// A thread as it is before callers' code runs on it: what one piece of that code has made of it, the next one's must not see. As the
/// pool does between two work items, for those who run much in one.
/// </summary>
internal readonly struct CleanThread
{
    private readonly Thread _thread;
    private readonly string? _name;
    private readonly ExecutionContext? _context;

    private CleanThread(Thread thread)
    {
        _thread = thread;
        _name = thread.Name;
        _context = ExecutionContext.Capture();
    }

    /// <summary>This thread, which is one of the pool's, or of the library's own.</summary>
    public static CleanThread Capture() => new(Thread.CurrentThread);

    /// <summary>On the same thread: what has been changed since is as it was.</summary>
    public void Restore()
    {
        if (SynchronizationContext.Current is not null)
        {
            SynchronizationContext.SetSynchronizationContext(null);
        }

        if (_context is not null && ExecutionContext.Capture() != _context)
        {
            ExecutionContext.Restore(_context);
        }

        if (!_thread.IsBackground)
        {
            // It would keep a program from ending.
            _thread.IsBackground = true;
        }

        if (_thread.Priority != ThreadPriority.Normal)
        {
            _thread.Priority = ThreadPriority.Normal;
        }

        if (!ReferenceEquals(_thread.Name, _name))
        {
            _thread.Name = _name;
        }
    }
}
