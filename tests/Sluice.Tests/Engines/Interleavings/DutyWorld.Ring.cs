using Sluice.Engines;

namespace Sluice.Tests.Engines.Interleavings;

/// <summary>What RingEntries does: each method is for who has the submission lock, and one step with what it is called in.</summary>
internal sealed partial class DutyWorld
{
    /// <summary>Operations in the submission queue that the kernel has not taken, shown to it or not.</summary>
    private readonly List<int> _gathered = [];
    private readonly List<int> _backlog = [];

    /// <summary>Operations that the pool is to carry out.</summary>
    private readonly List<int> _pooled = [];
    private int _shown;
    private int _wakers;
    private int _used;
    private int _entering;
    private int _executing;
    private bool _isRefused;
    private bool _isClosed;
    private bool _isTouchedClosed;

    private bool _kernelRefuses;

    private int Pending => _gathered.Count + _wakers;

    private bool IsBacklogEmpty => _backlog.Count == 0 || _ring.Defect == DutyDefect.IsIdleOverABacklog;

    /// <summary>Into the ring or its backlog, and into the kernel unless it is gathered.</summary>
    private void Submit(int operation, DutyTurn? turn)
    {
        if (_isRefused)
        {
            _pooled.Add(operation);
            return;
        }

        if (QueueOrKeep(operation) && (turn is null || !Duty.Gathers(turn, _entering > 0)))
        {
            EnterKernel();
        }

        if (!(_isRefused && _ring.Defect == DutyDefect.WakesNobodyAtARefusal) && Duty.LeaveIdle())
        {
            _watcher.Wake();
        }
    }

    private bool QueueOrKeep(int operation)
    {
        if (TryQueue(operation))
        {
            return true;
        }

        _backlog.Add(operation);
        if (_isRefused)
        {
            Refuse();
        }

        return false;
    }

    private bool TryQueue(int operation)
    {
        if (_used == _ring.Slots)
        {
            return false;
        }

        if (Pending == _ring.Entries)
        {
            EnterKernel();
            if (_isRefused)
            {
                return false;
            }
        }

        _used++;
        Duty.Enter();
        _gathered.Add(operation);
        return true;
    }

    private void QueueBacklog()
    {
        while (_backlog.Count > 0 && _ring.Defect != DutyDefect.KeepsBacklog)
        {
            int first = _backlog[0];
            if (!TryQueue(first))
            {
                return;
            }

            _backlog.Remove(first);
        }
    }

    private void QueueWaker()
    {
        if (!_isRefused && Pending < _ring.Entries)
        {
            _wakers++;
        }
    }

    private void EnterKernel()
    {
        if (_isRefused)
        {
            return;
        }

        Touch();
        _shown = Pending;
        if (_shown > 0 && _kernelRefuses)
        {
            Refuse();
            return;
        }

        _ = Consume(_shown);
    }

    /// <summary>The kernel takes what it was shown, up to so many; how many it took.</summary>
    private int Consume(int most)
    {
        int count = Math.Min(most, _shown);
        int operations = Math.Min(count, _gathered.Count);
        _kernel.AddRange(_gathered[..operations]);
        _gathered.RemoveRange(0, operations);
        _shown -= count;
        if (count > operations)
        {
            _wakers -= count - operations;
            _watcher.IsKicked = true;
        }

        return count;
    }

    private void Refuse()
    {
        _isRefused = true;
        Duty.Refuse();
        if (_ring.Defect != DutyDefect.KeepsBacklogOfARefusedRing)
        {
            _pooled.AddRange(_backlog);
            _backlog.Clear();
        }

        if (_entering > 0)
        {
            // A leader is showing entries to the kernel: it does the rest when it is back.
            return;
        }

        Touch();
        foreach (int operation in _gathered)
        {
            _used--;
            Duty.Exit();
            _pooled.Add(operation);
        }

        _gathered.Clear();
        _wakers = 0;
        _shown = 0;
    }

    /// <summary>Whoever does this uses the memory of the ring.</summary>
    private void Touch() => _isTouchedClosed |= _isClosed;

    /// <summary>Changes what the kernel says, once.</summary>
    private sealed class Kernel(Func<bool> canChange, Action change) : Actor
    {
        private bool _done;

        public override bool CanStep => !_done && canChange();

        public override void Step()
        {
            _done = true;
            change();
        }
    }

    /// <summary>Carries one operation out that the ring is not to have, and goes on with its continuation.</summary>
    private sealed class Call(DutyWorld world, int operation) : Actor
    {
        private bool _isRunning;

        public override bool CanStep => _isRunning ? world.MayRun(operation) : world._pooled.Contains(operation);

        public override void Step()
        {
            if (_isRunning)
            {
                _isRunning = false;
                world.Run(operation, null);
                return;
            }

            _isRunning = true;
            world._pooled.Remove(operation);
        }
    }
}
