using Sluice.Engines;

namespace Sluice.Tests.Engines.Interleavings;

/// <summary>One operation of a scenario.</summary>
/// <param name="WaitsFor">Its continuation blocks until that one's has run; -1: it does not.</param>
/// <param name="Submits">What its continuation submits, all at once; null: nothing.</param>
/// <param name="Ticks">What its continuation costs.</param>
internal sealed record DutyOperation(int WaitsFor = -1, int[]? Submits = null, long Ticks = 1);

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
    private readonly List<int> _gathered = [];
    private readonly List<int> _kernel = [];
    private readonly List<int> _ready = [];
    private readonly Queue<int> _completed = new();
    private readonly List<Actor> _actors = [];
    private readonly Watcher _watcher;
    private int _workItems;
    private int _entering;

    public DutyWorld(CompletionDuty duty, DutyOperation[] operations, int workers, params int[] submitted)
    {
        Duty = duty;
        _operations = operations;
        _ran = new bool[operations.Length];
        _watcher = new Watcher(this);
        _actors.Add(_watcher);
        for (int i = 0; i < 2 && operations[0].Ticks > LongTicks; i++)
        {
            // They were long before.
            duty.Measure(operations[0].Ticks, isInterrupted: false);
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
    }

    public CompletionDuty Duty { get; }

    public override IReadOnlyList<Actor> Actors => _actors;

    public override bool IsDone => Array.TrueForAll(_ran, static ran => ran);

    /// <summary>Somebody has the role while something is in flight.</summary>
    public override bool IsSound => Duty.Role != CompletionDuty.Nobody || Duty.InFlight == 0;

    /// <summary>Where everything is, for who reads a failure.</summary>
    public override string ToString() =>
        $"role {Duty.Role}, asked {Duty.Asked}, gathered [{string.Join(' ', _gathered)}], kernel [{string.Join(' ', _kernel)}], "
            + $"ready [{string.Join(' ', _ready)}], queued [{string.Join(' ', _completed)}], work items {_workItems}, "
            + $"ran [{string.Join(' ', _ran.Select(static (ran, i) => (ran, i)).Where(static o => o.ran).Select(static o => o.i))}]; "
            + string.Join("; ", _actors.Where(static a => a is Worker or Watcher));

    /// <summary>Under the submission lock: into the ring, and into the kernel unless it is gathered.</summary>
    private void Submit(int operation, DutyTurn? turn)
    {
        Duty.Enter();
        _gathered.Add(operation);
        if (turn is null || !Duty.Gathers(turn, _entering > 0))
        {
            EnterKernel();
        }

        if (Duty.LeaveIdle())
        {
            _watcher.Wake();
        }
    }

    private void EnterKernel()
    {
        _kernel.AddRange(_gathered);
        _gathered.Clear();
    }

    private int TakeReady(List<int> into)
    {
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
        public override bool CanStep => world._kernel.Contains(operation);

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

        if (turn is null || !world.Duty.Gathers(turn, world._entering > 0))
        {
            world.EnterKernel();
        }

        return taken.Count;
    }
}
