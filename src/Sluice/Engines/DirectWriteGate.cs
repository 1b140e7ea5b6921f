namespace Sluice.Engines;

/// <summary>
/// An asynchronous reader-writer lock of one file, shared by all direct handles of the process. Whole-block direct writes share it; writes
/// through the page cache (edges, appends) have it alone, because the two may not meet in one page (open(2), NOTES). They alternate: one
/// exclusive visitor, then all shared ones that wait. No thread waits here: a visitor that waits is called when it is inside.
/// </summary>
internal sealed class DirectWriteGate
{
    private static readonly Lock TableLock = new();
    private static readonly Dictionary<(ulong Device, ulong Inode), WeakReference<DirectWriteGate>> Table = [];

    private readonly Lock _lock = new();
    private readonly LinkedList<GateVisitor> _shared = new();
    private readonly LinkedList<GateVisitor> _exclusive = new();
    private readonly (ulong Device, ulong Inode) _key;
    private int _inside;
    private bool _isExclusive;
    private bool _sharedAreNext;

    private DirectWriteGate((ulong Device, ulong Inode) key) => _key = key;

    /// <summary>No handle and no transfer has the gate any more.</summary>
    ~DirectWriteGate()
    {
        lock (TableLock)
        {
            // By now a new gate of the file may be in its place.
            if (Table.TryGetValue(_key, out WeakReference<DirectWriteGate>? entry) && !entry.TryGetTarget(out _))
            {
                Table.Remove(_key);
            }
        }
    }

    /// <summary>Returns the gate of a file: the same one as long as it is in use.</summary>
    public static DirectWriteGate Of(ulong device, ulong inode)
    {
        lock (TableLock)
        {
            if (Table.TryGetValue((device, inode), out WeakReference<DirectWriteGate>? entry)
                && entry.TryGetTarget(out DirectWriteGate? gate))
            {
                return gate;
            }

            gate = new DirectWriteGate((device, inode));
            Table[(device, inode)] = new WeakReference<DirectWriteGate>(gate);
            return gate;
        }
    }

    /// <summary>Returns true if the gate of a file is in the table.</summary>
    public static bool IsKnown(ulong device, ulong inode)
    {
        lock (TableLock)
        {
            return Table.ContainsKey((device, inode));
        }
    }

    /// <summary>
    /// Inside: <see cref="Leave"/> follows. A visitor that was called is inside already. Waiting: the visitor is called when it is inside,
    /// and may end at once. Cancelled: the visitor does not want to enter.
    /// </summary>
    public GatePass Enter(GateVisitor visitor)
    {
        lock (_lock)
        {
            if (visitor.Pass == GatePass.Inside)
            {
                return GatePass.Inside;
            }

            if (visitor.IsCancellationRequested)
            {
                return GatePass.Cancelled;
            }

            if (visitor.IsExclusive ? _inside == 0 : !_isExclusive && _exclusive.Count == 0)
            {
                EnterLocked(visitor);
                return GatePass.Inside;
            }

            (visitor.IsExclusive ? _exclusive : _shared).AddLast(visitor);
            return visitor.Pass = GatePass.Waiting;
        }
    }

    /// <summary>Enters among those that share, for work of this thread that does not wait; false if they are kept out.</summary>
    public bool TryEnterShared()
    {
        lock (_lock)
        {
            if (_isExclusive || _exclusive.Count > 0)
            {
                return false;
            }

            _inside++;
            return true;
        }
    }

    /// <summary>Ends what <see cref="TryEnterShared"/> began.</summary>
    public void Exit()
    {
        GateVisitor? entered;
        lock (_lock)
        {
            _inside--;
            entered = EnterNextLocked();
        }

        Call(entered, mayCall: true);
    }

    /// <summary>Leaves, inside or waiting; has no effect if the visitor is not here.</summary>
    /// <param name="visitor">The visitor that leaves.</param>
    /// <param name="mayCall">False if this thread may run no code of callers: visitors that enter then begin on the pool.</param>
    public void Leave(GateVisitor visitor, bool mayCall = true)
    {
        GateVisitor? entered;
        lock (_lock)
        {
            switch (visitor.Pass)
            {
                case GatePass.Waiting:
                    (visitor.IsExclusive ? _exclusive : _shared).Remove(visitor);
                    break;
                case GatePass.Inside:
                    _inside--;
                    break;
                default:
                    return;
            }

            visitor.Pass = GatePass.None;
            entered = EnterNextLocked();
        }

        Call(entered, mayCall);
    }

    /// <summary>Takes a visitor out of the queue; false if it does not wait.</summary>
    public bool TryWithdraw(GateVisitor visitor)
    {
        GateVisitor? entered;
        lock (_lock)
        {
            if (visitor.Pass != GatePass.Waiting)
            {
                return false;
            }

            (visitor.IsExclusive ? _exclusive : _shared).Remove(visitor);
            visitor.Pass = GatePass.None;
            entered = EnterNextLocked();
        }

        Call(entered, mayCall: true);
        return true;
    }

    /// <summary>Lets in those whose turn it is, and returns them, linked by <see cref="GateVisitor.NextEntered"/>.</summary>
    private GateVisitor? EnterNextLocked()
    {
        GateVisitor? entered = null;
        if (_inside == 0)
        {
            _isExclusive = false;
            if (_exclusive.First is { } next && (!_sharedAreNext || _shared.Count == 0))
            {
                _exclusive.RemoveFirst();
                EnterLocked(next.Value);
                return next.Value;
            }
        }

        // After an exclusive one all that share, including those that came while it waited; else only while no exclusive one waits.
        if (!_isExclusive && (_inside == 0 || _exclusive.Count == 0))
        {
            while (_shared.First is { } next)
            {
                _shared.RemoveFirst();
                EnterLocked(next.Value);
                next.Value.NextEntered = entered;
                entered = next.Value;
            }
        }

        return entered;
    }

    private void EnterLocked(GateVisitor visitor)
    {
        _inside++;
        _isExclusive = _sharedAreNext = visitor.IsExclusive;
        visitor.Pass = GatePass.Inside;
    }

    private static void Call(GateVisitor? entered, bool mayCall)
    {
        while (entered is not null)
        {
            // Read first: a visitor that was called may be another one already.
            GateVisitor? next = entered.NextEntered;
            entered.NextEntered = null;
            if (mayCall || !entered.BeginsWhenCalled)
            {
                entered.OnCalled();
            }
            else
            {
                entered.QueueCalled();
            }

            entered = next;
        }
    }
}
