using Sluice.Memory;

namespace Sluice.Engines;

/// <summary>
/// Keeps whole-block direct writes and writes through the page cache apart, for all direct handles of this process on one file: many of
/// the first, or one of the second. They take turns: one exclusive visitor, then all shared ones that wait, and so on. Nobody is blocked
/// here: who has to wait is called when the turn has come.
/// </summary>
/// <remarks>
/// A visitor that needs a thread may be called long before one is free, and threads may all be waiting for visitors behind it: such a
/// thread calls <see cref="PassBy"/>, which takes back the places of those who have not begun.
/// </remarks>
internal sealed class DirectWriteGate
{
    private static readonly Lock TableLock = new();
    private static readonly Dictionary<(ulong Device, ulong Inode), WeakReference<DirectWriteGate>> Table = [];

    private readonly Lock _lock = new();
    private readonly LinkedList<GateVisitor> _shared = new();
    private readonly LinkedList<GateVisitor> _exclusive = new();
    private readonly LinkedList<GateVisitor> _called = new();
    private readonly (ulong Device, ulong Inode) _key;
    private int _inside;
    private bool _isExclusive;
    private bool _sharedAreNext;

    private DirectWriteGate((ulong Device, ulong Inode) key) => _key = key;

    /// <summary>Nobody has the gate any more: neither a handle, disposed or forgotten, nor a transfer on its way.</summary>
    ~DirectWriteGate()
    {
        using (TableLock.EnterUninterrupted())
        {
            // A new gate of the file may stand in its place by now.
            if (Table.TryGetValue(_key, out WeakReference<DirectWriteGate>? entry) && !entry.TryGetTarget(out _))
            {
                Table.Remove(_key);
            }
        }
    }

    /// <summary>The gate of one file, the same for all who ask while anybody has it.</summary>
    public static DirectWriteGate Of(ulong device, ulong inode)
    {
        using (TableLock.EnterUninterrupted())
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

    /// <summary>Whether a file's gate is still in the table.</summary>
    public static bool IsKnown(ulong device, ulong inode)
    {
        using (TableLock.EnterUninterrupted())
        {
            return Table.ContainsKey((device, inode));
        }
    }

    /// <summary>
    /// Inside: to leave with <see cref="Leave"/>. Waiting: the visitor is called when its turn has come, and from here on belongs to
    /// whoever calls it. Cancelled: it does not want to enter any more.
    /// </summary>
    public GatePass Enter(GateVisitor visitor)
    {
        using (_lock.EnterUninterrupted())
        {
            visitor.IsOnItsWay = false;
            switch (visitor.Pass)
            {
                case GatePass.Called:
                    _called.Remove(visitor.Node);
                    return visitor.Pass = GatePass.Inside;
                case GatePass.Waiting when visitor.IsCancellationRequested:
                    WaitersLike(visitor).Remove(visitor.Node);
                    visitor.Pass = GatePass.None;
                    return GatePass.Cancelled;
                case GatePass.Waiting:
                    return GatePass.Waiting;
            }

            if (visitor.IsCancellationRequested)
            {
                return GatePass.Cancelled;
            }

            if (visitor.IsExclusive ? _inside == 0 : !_isExclusive && _exclusive.Count == 0)
            {
                _inside++;
                _isExclusive = _sharedAreNext = visitor.IsExclusive;
                return visitor.Pass = GatePass.Inside;
            }

            WaitersLike(visitor).AddLast(visitor.Node);
            return visitor.Pass = GatePass.Waiting;
        }
    }

    /// <summary>Enters among those who share, for the work of one thread that never waits here; false when somebody keeps them
    /// out.</summary>
    public bool TryEnterShared()
    {
        using (_lock.EnterUninterrupted())
        {
            if (_isExclusive || _exclusive.Count > 0)
            {
                return false;
            }

            _inside++;
            return true;
        }
    }

    /// <summary>Enters as the only one, for the work of one thread that never waits here; false when anybody is inside.</summary>
    public bool TryEnterAlone()
    {
        using (_lock.EnterUninterrupted())
        {
            if (_inside != 0)
            {
                return false;
            }

            _inside = 1;
            _isExclusive = _sharedAreNext = true;
            return true;
        }
    }

    /// <summary>Ends what <see cref="TryEnterShared"/> or <see cref="TryEnterAlone"/> began.</summary>
    public void Exit()
    {
        GateVisitor? called;
        using (_lock.EnterUninterrupted())
        {
            _inside--;
            called = CallNextLocked();
        }

        Call(called);
    }

    /// <summary>Leaves, wherever the visitor stands; nothing happens when it is not here.</summary>
    /// <param name="visitor">Who leaves.</param>
    /// <param name="mayCall">False where this thread may run no caller's code: whose turn has come then begins on the pool.</param>
    public void Leave(GateVisitor visitor, bool mayCall = true)
    {
        GateVisitor? called;
        using (_lock.EnterUninterrupted())
        {
            switch (visitor.Pass)
            {
                case GatePass.Waiting:
                    WaitersLike(visitor).Remove(visitor.Node);
                    break;
                case GatePass.Called:
                    _called.Remove(visitor.Node);
                    _inside--;
                    break;
                case GatePass.Inside:
                    _inside--;
                    break;
                default:
                    return;
            }

            visitor.Pass = GatePass.None;
            called = CallNextLocked();
        }

        Call(called, mayCall);
    }

    /// <summary>Takes a visitor that waits out of the queue; false when it does not wait, or its thread will come and look by
    /// itself.</summary>
    public bool TryWithdraw(GateVisitor visitor)
    {
        GateVisitor? called;
        using (_lock.EnterUninterrupted())
        {
            if (visitor.Pass != GatePass.Waiting || visitor.IsOnItsWay)
            {
                return false;
            }

            WaitersLike(visitor).Remove(visitor.Node);
            visitor.Pass = GatePass.None;
            called = CallNextLocked();
        }

        Call(called);
        return true;
    }

    /// <summary>
    /// Lets a visitor whose thread waits for it pass those who were called and have not begun, for want of a thread perhaps. They keep
    /// their places at the head of the queue.
    /// </summary>
    public void PassBy(GateVisitor visitor)
    {
        GateVisitor? called = null;
        using (_lock.EnterUninterrupted())
        {
            if (visitor.Pass != GatePass.Waiting)
            {
                return;
            }

            while (_called.Last is { } last)
            {
                _called.RemoveLast();
                WaitersLike(last.Value).AddFirst(last);
                last.Value.Pass = GatePass.Waiting;
                _inside--;
            }

            if (_inside == 0 || (!visitor.IsExclusive && !_isExclusive))
            {
                CallLocked(visitor, ref called);
            }
        }

        Call(called);
    }

    private LinkedList<GateVisitor> WaitersLike(GateVisitor visitor) => visitor.IsExclusive ? _exclusive : _shared;

    /// <summary>Those whose turn it is now, linked by <see cref="GateVisitor.NextCalled"/>.</summary>
    private GateVisitor? CallNextLocked()
    {
        GateVisitor? called = null;
        if (_inside == 0)
        {
            _isExclusive = false;
            if (_exclusive.First is { } next && (!_sharedAreNext || _shared.Count == 0))
            {
                CallLocked(next.Value, ref called);
                return called;
            }
        }

        // After an exclusive one all who share, those that came while it waited included; else only while no exclusive one waits.
        if (!_isExclusive && (_inside == 0 || _exclusive.Count == 0))
        {
            while (_shared.First is { } next)
            {
                CallLocked(next.Value, ref called);
            }
        }

        return called;
    }

    private void CallLocked(GateVisitor visitor, ref GateVisitor? called)
    {
        WaitersLike(visitor).Remove(visitor.Node);
        _inside++;
        _isExclusive = _sharedAreNext = visitor.IsExclusive;
        if (visitor.BeginsWhenCalled)
        {
            visitor.Pass = GatePass.Inside;
        }
        else
        {
            visitor.Pass = GatePass.Called;
            _called.AddLast(visitor.Node);
            if (visitor.IsOnItsWay)
            {
                return;
            }

            visitor.IsOnItsWay = true;
        }

        visitor.NextCalled = called;
        called = visitor;
    }

    private static void Call(GateVisitor? called, bool mayCall = true)
    {
        while (called is not null)
        {
            // Read before: a visitor that was called is its own again.
            GateVisitor? next = called.NextCalled;
            called.NextCalled = null;
            if (mayCall || !called.BeginsWhenCalled)
            {
                called.OnCalled();
            }
            else
            {
                called.QueueCalled();
            }

            called = next;
        }
    }
}
