using Sluice.Engines;

namespace Sluice.Tests.Engines.Interleavings;

/// <summary>One operation of a scenario.</summary>
/// <param name="WaitsFor">Its continuation blocks until that one's has run; -1: it does not.</param>
/// <param name="Submits">What its continuation submits, all at once; null: nothing.</param>
/// <param name="Ticks">What its continuation costs.</param>
/// <param name="CompletesAfter">As a read of a pipe it completes when that one's continuation has run; -1: by itself.</param>
internal sealed record DutyOperation(int WaitsFor = -1, int[]? Submits = null, long Ticks = 1, int CompletesAfter = -1);

/// <summary>
/// A ring, a pool, a kernel and a queue that exist in numbers only, around a real <see cref="CompletionDuty"/>: its threads make one
/// step at a time, in the order that somebody chooses. What a step of the engine does to shared state in several steps, its model does
/// in as many.
/// </summary>
internal sealed partial class DutyWorld : World
{
    /// <summary>A continuation is long from here on.</summary>
    public const long LongTicks = 10;

    private readonly DutyOperation[] _operations;
    private readonly bool[] _ran;
    private readonly DutyRing _ring;
    private readonly List<int> _kernel = [];
    private readonly List<int> _ready = [];
    private readonly Queue<int> _completed = new();
    private readonly List<Actor> _actors = [];
    private readonly Watcher _watcher;
    private int _workItems;
    private bool _hasRunTwice;
    private bool _isPoolWanted;

    public DutyWorld(CompletionDuty duty, DutyOperation[] operations, int workers, int[] submitted, DutyRing? ring = null)
    {
        Duty = duty;
        _ring = ring ?? new DutyRing();
        _operations = operations;
        _ran = new bool[operations.Length];
        _watcher = new Watcher(this);
        _actors.Add(_watcher);
        for (int i = 0; i < 2 && operations[0].Ticks > LongTicks; i++)
        {
            // They were long before.
            duty.Measure(operations[0].Ticks);
        }

        for (int i = 0; i < workers; i++)
        {
            _actors.Add(new Worker(this));
        }

        foreach (int operation in submitted)
        {
            _actors.Add(new Submitter(this, operation));
        }

        for (int i = 0; i < operations.Length; i++)
        {
            _actors.Add(new Device(this, i));
        }

        if (_ring.HasOthersWork)
        {
            _isPoolWanted = true;
            _actors.Add(new Kernel(() => _isPoolWanted, () => _isPoolWanted = false));
            _actors.Add(new Kernel(() => !_isPoolWanted, () => _isPoolWanted = true));
        }

        if (_ring.MayRefuse)
        {
            _actors.Add(new Kernel(static () => true, () => _kernelRefuses = true));
            _actors.AddRange(operations.Select((_, i) => new Call(this, i)));
        }
    }

    public CompletionDuty Duty { get; }

    public override IReadOnlyList<Actor> Actors => _actors;

    /// <summary>All continuations have run, and a ring that was refused is closed.</summary>
    public override bool IsDone => Array.TrueForAll(_ran, static ran => ran) && (!_isRefused || _isClosed);

    /// <summary>
    /// Somebody has the role while something is in flight; nothing runs twice; who touches the ring finds it open, and it has nothing when
    /// it is closed.
    /// </summary>
    public override bool IsSound =>
        (Duty.Role != CompletionDuty.Nobody || Duty.InFlight == 0) && !_hasRunTwice && !_isTouchedClosed
            && (!_isClosed || (_gathered.Count == 0 && _kernel.Count == 0 && _ready.Count == 0));

    /// <summary>Where everything is, for who reads a failure.</summary>
    public override string ToString() =>
        $"role {Duty.Role}, asked {Duty.Asked}, gathered [{string.Join(' ', _gathered)}], "
            + $"backlog [{string.Join(' ', _backlog)}], pool [{string.Join(' ', _pooled)}], refused {_isRefused}, closed {_isClosed}, "
            + $"kernel [{string.Join(' ', _kernel)}], "
            + $"ready [{string.Join(' ', _ready)}], queued [{string.Join(' ', _completed)}], work items {_workItems}, "
            + $"ran [{string.Join(' ', _ran.Select(static (ran, i) => (ran, i)).Where(static o => o.ran).Select(static o => o.i))}]; "
            + string.Join("; ", _actors.Where(static a => a is Worker or Watcher));

    private bool MayRun(int operation) => _operations[operation].WaitsFor is var other && (other < 0 || _ran[other]);

    private void Run(int operation, DutyTurn? turn)
    {
        _hasRunTwice |= _ran[operation];
        _ran[operation] = true;
        foreach (int submitted in _operations[operation].Submits ?? [])
        {
            Submit(submitted, turn);
        }
    }

    private int TakeReady(List<int> into)
    {
        Touch();
        into.AddRange(_ready);
        _ready.Clear();
        _watcher.IsKicked = false;
        return into.Count;
    }

    /// <summary>A thread that submits one operation and has nothing more to do with it.</summary>
    private sealed class Submitter(DutyWorld world, int operation) : Actor
    {
        private bool _done;

        public override bool CanStep => !_done;

        public override void Step()
        {
            _done = true;
            world.Submit(operation, null);
        }
    }

    /// <summary>Completes one operation, at any time after it was handed over.</summary>
    private sealed class Device(DutyWorld world, int operation) : Actor
    {
        public override bool CanStep =>
            world._kernel.Contains(operation)
                && world._operations[operation].CompletesAfter is var other && (other < 0 || world._ran[other]);

        public override void Step()
        {
            world._kernel.Remove(operation);
            world._ready.Add(operation);
        }
    }

    /// <summary>
    /// Taking in its parts: out of the ring, into the queue one by one, and what waits into the kernel. The count at the end.
    /// </summary>
    private static int? TakeOn(DutyWorld world, int role, DutyTurn? turn, List<int> taken, int part)
    {
        if (part == 0)
        {
            taken.Clear();
            int count = world.Duty.Take(role, Span<int>.Empty, _ => world.TakeReady(taken));
            return count > 0 ? null : count;
        }

        if (part <= taken.Count)
        {
            world.Duty.Exit();
            world._completed.Enqueue(taken[part - 1]);
            return null;
        }

        world._used -= taken.Count;
        world.QueueBacklog();
        if (world.Pending > 0 && (turn is null || !world.Duty.Gathers(turn, world._entering > 0)))
        {
            world.EnterKernel();
        }

        return taken.Count;
    }
}
