namespace Sluice;

/// <summary>
/// Keeps whole-block direct writes and edge writes through the page cache apart, for all handles of this process on one file: many
/// of the first, or one of the second. Waiting blocks; only operations that may block take it exclusively.
/// </summary>
internal sealed class DirectWriteGate
{
    private static readonly Lock TableLock = new();
    private static readonly Dictionary<(ulong Device, ulong Inode), DirectWriteGate> Table = [];

    private readonly object _monitor = new();
    private readonly (ulong Device, ulong Inode) _key;
    private int _users;
    private int _shared;
    private int _waitingExclusive;
    private bool _exclusive;

    private DirectWriteGate((ulong Device, ulong Inode) key) => _key = key;

    /// <summary>The gate of one file; to be given back with <see cref="Release"/>.</summary>
    public static DirectWriteGate Acquire(ulong device, ulong inode)
    {
        lock (TableLock)
        {
            if (!Table.TryGetValue((device, inode), out DirectWriteGate? gate))
            {
                Table[(device, inode)] = gate = new DirectWriteGate((device, inode));
            }

            gate._users++;
            return gate;
        }
    }

    public void Release()
    {
        lock (TableLock)
        {
            _users--;
            RemoveIfIdleLocked();
        }
    }

    public void EnterShared()
    {
        lock (_monitor)
        {
            while (_exclusive || _waitingExclusive > 0)
            {
                Monitor.Wait(_monitor);
            }

            _shared++;
        }
    }

    /// <summary>Enters without waiting; false while an edge is being written or waits to be.</summary>
    public bool TryEnterShared()
    {
        lock (_monitor)
        {
            if (_exclusive || _waitingExclusive > 0)
            {
                return false;
            }

            _shared++;
            return true;
        }
    }

    public void ExitShared()
    {
        lock (_monitor)
        {
            if (--_shared > 0)
            {
                return;
            }

            Monitor.PulseAll(_monitor);
        }

        RemoveIfUnused();
    }

    public void EnterExclusive()
    {
        lock (_monitor)
        {
            bool entered = false;
            _waitingExclusive++;
            try
            {
                while (_exclusive || _shared > 0)
                {
                    Monitor.Wait(_monitor);
                }

                _exclusive = entered = true;
            }
            finally
            {
                _waitingExclusive--;
                if (!entered)
                {
                    // Thread.Interrupt: whoever made way for this one goes on.
                    Monitor.PulseAll(_monitor);
                }
            }
        }
    }

    public void ExitExclusive()
    {
        lock (_monitor)
        {
            _exclusive = false;
            Monitor.PulseAll(_monitor);
        }

        RemoveIfUnused();
    }

    /// <summary>The handle was disposed while a write was in flight: the last one out removes the gate.</summary>
    private void RemoveIfUnused()
    {
        if (Volatile.Read(ref _users) == 0)
        {
            lock (TableLock)
            {
                RemoveIfIdleLocked();
            }
        }
    }

    private void RemoveIfIdleLocked()
    {
        lock (_monitor)
        {
            bool isIdle = _users == 0 && _shared == 0 && !_exclusive && _waitingExclusive == 0;
            if (isIdle && Table.TryGetValue(_key, out DirectWriteGate? gate) && gate == this)
            {
                Table.Remove(_key);
            }
        }
    }
}
