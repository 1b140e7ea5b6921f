namespace Sluice.Engines;

/// <summary>
/// An asynchronous reader-writer lock of one file, for all direct handles of the process. Direct writes of whole blocks share it. Writes
/// through the page cache (partial pages, appends) have it exclusively, because a direct and a cached write of the same page must not
/// overlap in time (open(2), NOTES). Visitors are admitted in their order. No thread waits: a visitor that waits is called when it is
/// admitted. Thread-safe.
/// </summary>
internal sealed class DirectWriteGate
{
    private static readonly Lock TableLock = new();
    private static readonly Dictionary<(ulong Device, ulong Inode), WeakReference<DirectWriteGate>> Table = [];

    private readonly Lock _lock = new();
    private readonly LinkedList<GateVisitor> _waiting = new();
    private readonly (ulong Device, ulong Inode) _key;
    private int _inside;
    private bool _isExclusive;

    private DirectWriteGate((ulong Device, ulong Inode) key) => _key = key;

    /// <summary>Removes the gate from the table: no handle and no transfer refers to it any more.</summary>
    ~DirectWriteGate()
    {
        lock (TableLock)
        {
            // Another gate may have been added for the file.
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
    /// Admits a visitor (<see cref="Leave"/> follows), or has it wait, or returns <see cref="GatePass.Cancelled"/>. A visitor that was
    /// admitted after waiting is inside already. One that waits may be admitted, and may have ended, before this method returns.
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

            if (_waiting.Count == 0 && HasRoomFor(visitor.IsExclusive))
            {
                Admit(visitor);
                return GatePass.Inside;
            }

            _waiting.AddLast(visitor);
            return visitor.Pass = GatePass.Waiting;
        }
    }

    /// <summary>Enters for shared work of the calling thread; <see cref="Exit"/> follows. Returns false instead of waiting.</summary>
    public bool TryEnterShared()
    {
        lock (_lock)
        {
            if (_waiting.Count > 0 || !HasRoomFor(isExclusive: false))
            {
                return false;
            }

            _inside++;
            return true;
        }
    }

    /// <summary>Leaves the gate after <see cref="TryEnterShared"/>.</summary>
    public void Exit()
    {
        GateVisitor? admitted;
        lock (_lock)
        {
            _inside--;
            admitted = AdmitWaiting();
        }

        Call(admitted);
    }

    /// <summary>Leaves the gate. Has no effect if the visitor is not inside.</summary>
    public void Leave(GateVisitor visitor)
    {
        GateVisitor? admitted;
        lock (_lock)
        {
            if (visitor.Pass != GatePass.Inside)
            {
                return;
            }

            visitor.Pass = GatePass.None;
            _inside--;
            admitted = AdmitWaiting();
        }

        Call(admitted);
    }

    /// <summary>Removes a visitor that waits. Returns false if it does not wait.</summary>
    public bool TryWithdraw(GateVisitor visitor)
    {
        GateVisitor? admitted;
        lock (_lock)
        {
            if (visitor.Pass != GatePass.Waiting)
            {
                return false;
            }

            visitor.Pass = GatePass.None;
            _waiting.Remove(visitor);
            admitted = AdmitWaiting();
        }

        Call(admitted);
        return true;
    }

    private bool HasRoomFor(bool isExclusive) => _inside == 0 || (!isExclusive && !_isExclusive);

    private void Admit(GateVisitor visitor)
    {
        _inside++;
        _isExclusive = visitor.IsExclusive;
        visitor.Pass = GatePass.Inside;
    }

    /// <summary>
    /// Admits visitors from the front of the queue, as far as the gate allows. Returns them, linked by
    /// <see cref="GateVisitor.NextAdmitted"/>, or null.
    /// </summary>
    private GateVisitor? AdmitWaiting()
    {
        GateVisitor? admitted = null;
        while (_waiting.First is { Value: { } next } && HasRoomFor(next.IsExclusive))
        {
            _waiting.RemoveFirst();
            Admit(next);
            next.NextAdmitted = admitted;
            admitted = next;
        }

        return admitted;
    }

    private static void Call(GateVisitor? admitted)
    {
        while (admitted is { } visitor)
        {
            // NextAdmitted is read first: a visitor that was called may be in use for another transfer already.
            admitted = visitor.NextAdmitted;
            visitor.NextAdmitted = null;
            visitor.OnAdmitted();
        }
    }
}
