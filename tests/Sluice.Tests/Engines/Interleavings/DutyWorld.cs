using Sluice.Engines;

namespace Sluice.Tests.Engines.Interleavings;

/// <summary>One operation of a scenario.</summary>
/// <param name="WaitsFor">Its continuation blocks until that one's has run; -1: it does not.</param>
/// <param name="Submits">What its continuation submits; -1: nothing.</param>
/// <param name="Ticks">What its continuation costs.</param>
internal sealed record DutyOperation(int WaitsFor = -1, int Submits = -1, long Ticks = 1);

/// <summary>
/// A ring, a pool, a kernel and a queue that exist in numbers only, around a real <see cref="CompletionDuty"/>: its threads make one
/// step at a time, in the order that somebody chooses. What a step of the engine does to shared state in several steps, its model does
/// in as many.
/// </summary>
internal sealed class DutyWorld
{
    /// <summary>A continuation is long from here on.</summary>
    public const long LongTicks = 10;

    private readonly DutyOperation[] _operations;
    private readonly bool[] _ran;
    private readonly List<int> _gathered = [];
    private readonly List<int> _kernel = [];
    private readonly List<int> _ready = [];
    private readonly Queue<int> _completed = new();
    private readonly List<IActor> _actors = [];
    private readonly Watcher _watcher;
    private int _workItems;

    public DutyWorld(CompletionDuty duty, DutyOperation[] operations, int workers, params int[] submitted)
    {
        Duty = duty;
        _operations = operations;
        _ran = new bool[operations.Length];
        _watcher = new Watcher(this);
        _actors.Add(_watcher);
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

    /// <summary>Whoever may make steps; a step that nobody may make before time has passed is a timer's.</summary>
    public interface IActor
    {
        bool CanStep { get; }

        bool HasTimer { get; }

        /// <summary>A thread of the pool between two work items.</summary>
        bool IsIdle => false;

        void Step();

        void TimeOut();
    }

    public CompletionDuty Duty { get; }

    public IReadOnlyList<IActor> Actors => _actors;

    public bool IsDone => Array.TrueForAll(_ran, static ran => ran);

    /// <summary>What must hold after every step: somebody has the role while something is in flight.</summary>
    public bool IsSound => Duty.Role != CompletionDuty.Nobody || Duty.InFlight == 0;

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
        if (turn is null || !Duty.Gathers(turn))
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
    private sealed class Submitter(DutyWorld world, int operation) : IActor
    {
        private bool _done;

        public bool CanStep => !_done;

        public bool HasTimer => false;

        public void Step()
        {
            _done = true;
            world.Submit(operation, null);
        }

        public void TimeOut()
        {
        }
    }

    /// <summary>Completes one operation, at any time after it was handed over.</summary>
    private sealed class Device(DutyWorld world, int operation) : IActor
    {
        public bool CanStep => world._kernel.Contains(operation);

        public bool HasTimer => false;

        public void Step()
        {
            world._kernel.Remove(operation);
            world._ready.Add(operation);
        }

        public void TimeOut()
        {
        }
    }

    private sealed class Worker(DutyWorld world) : IActor
    {
        private readonly DutyTurn _turn = new();
        private readonly List<int> _taken = [];
        private DutyStep _step = DutyStep.Leave;
        private int _part;
        private int _picked = -1;
        private bool _got;
        private bool _more;

        public bool CanStep => _step switch
        {
            DutyStep.Leave => world._workItems > 0,
            DutyStep.Run when _part == 1 => world._operations[_picked].WaitsFor is var other && (other < 0 || world._ran[other]),
            DutyStep.Wait when _part == 1 => world._ready.Count > 0,
            _ => true,
        };

        public bool HasTimer => _step == DutyStep.Wait && _part == 1;

        public bool IsIdle => _step == DutyStep.Leave;

        public override string ToString() => $"worker {_step}.{_part} as {_turn.Role} with {_picked}";

        public void TimeOut() => _part = 2;

        public void Step()
        {
            CompletionDuty duty = world.Duty;
            switch (_step, _part++)
            {
                case (DutyStep.Leave, _):
                    world._workItems--;
                    Next(duty.Begin(_turn));
                    break;
                case (DutyStep.Pick, 0):
                    _got = world._completed.TryDequeue(out _picked);
                    break;
                case (DutyStep.Pick, 1):
                    _more = world._completed.Count > 0;
                    break;
                case (DutyStep.Pick, _):
                    Next(duty.Picked(_turn, _got, _more));
                    break;
                case (DutyStep.AskHelp, 0):
                    world._workItems++;
                    break;
                case (DutyStep.AskHelp, _):
                    Next(CompletionDuty.HelpAsked(_turn));
                    break;
                case (DutyStep.Run, 0):
                    break;
                case (DutyStep.Run, 1):
                    world._ran[_picked] = true;
                    if (world._operations[_picked].Submits is var submits and >= 0)
                    {
                        world.Submit(submits, _turn);
                    }

                    break;
                case (DutyStep.Run, 2):
                    _more = world._completed.Count > 0;
                    break;
                case (DutyStep.Run, _):
                    Next(duty.Ran(_turn, world._operations[_picked].Ticks, _more, isPoolWanted: false));
                    break;
                case (DutyStep.Consider, _):
                    Next(duty.Considered(_turn, isPoolWanted: false, nowMs: 0));
                    break;
                case (DutyStep.Summon, 0):
                    world._watcher.Wake();
                    break;
                case (DutyStep.Summon, 1):
                    world._watcher.IsKicked = true;
                    world.EnterKernel();
                    break;
                case (DutyStep.Summon, _):
                    Next(duty.Summoned(_turn));
                    break;
                case (DutyStep.Take, _):
                    if (TakeOn(world, _turn.Role, _turn, _taken, _part - 1) is { } count)
                    {
                        Next(CompletionDuty.Taken(_turn, count, isPoolWanted: false));
                    }

                    break;
                case (DutyStep.RunAlone, 0):
                    _got = duty.InFlight == 1 && world._gathered.Count == 1;
                    if (_got)
                    {
                        _picked = world._gathered[0];
                        world._gathered.Clear();
                        duty.Exit();
                    }

                    break;
                case (DutyStep.RunAlone, 1):
                    if (_got)
                    {
                        world._completed.Enqueue(_picked);
                    }

                    break;
                case (DutyStep.RunAlone, _):
                    Next(duty.RanAlone(_turn, _got, isPoolWanted: false));
                    break;
                case (DutyStep.Wait, 0):
                    duty.EnterKernel();
                    world.EnterKernel();
                    break;
                case (DutyStep.Wait, 1):
                    break;
                case (DutyStep.Wait, 2):
                    duty.LeaveKernel();
                    break;
                case (DutyStep.Wait, _):
                    Next(CompletionDuty.Waited(_turn, world._ready.Count > 0));
                    break;
                case (DutyStep.Retire, 0):
                    world.EnterKernel();
                    break;
                case (DutyStep.Retire, 1):
                    if (duty.StepDown(_turn, isBacklogEmpty: true))
                    {
                        world._watcher.Wake();
                    }

                    break;
                case (DutyStep.Retire, _):
                    Next(CompletionDuty.Retired(_turn));
                    break;
            }
        }

        private void Next(DutyStep step)
        {
            _step = step;
            _part = 0;
        }
    }

    private sealed class Watcher(DutyWorld world) : IActor
    {
        private readonly WatchTurn _turn = new();
        private readonly List<int> _taken = [];
        private WatchStep _step = WatchStep.Look;
        private int _part;
        private int _count;
        private bool _isWoken;
        private bool _timedOut;

        /// <summary>An entry that completes at once ends its wait in the kernel.</summary>
        public bool IsKicked { get; set; }

        public bool CanStep => _step switch
        {
            WatchStep.WaitInKernel when _part == 1 => IsKicked || world._ready.Count > 0,
            WatchStep.Sleep or WatchStep.Watch when _part == 1 => _isWoken,
            _ => true,
        };

        // Half a second in the kernel is no help that counts, but for becoming idle.
        public bool HasTimer => _part == 1 && (_step == WatchStep.Watch || (_step == WatchStep.WaitInKernel && world.Duty.InFlight == 0));

        public override string ToString() => $"watcher {_step}.{_part} of {_turn.Role}";

        public void Wake() => _isWoken = true;

        public void TimeOut()
        {
            _timedOut = true;
            _part = 2;
        }

        public void Step()
        {
            CompletionDuty duty = world.Duty;
            switch (_step, _part++)
            {
                case (WatchStep.Look, _):
                    Next(duty.Look(_turn));
                    break;
                case (WatchStep.Take, _):
                    if (TakeOn(world, CompletionDuty.CompletionThread, null, _taken, _part - 1) is { } count)
                    {
                        _count = count;
                        _step = WatchStep.AskHelp;
                        _part = -1;
                    }

                    break;
                case (WatchStep.AskHelp, -1):
                    Next(duty.WatcherTook(_count, world._completed.Count > 0));
                    break;
                case (WatchStep.AskHelp, _):
                    world._workItems++;
                    Next(WatchStep.Look);
                    break;
                case (WatchStep.WaitInKernel, 0) or (WatchStep.WaitInKernel, 1):
                    break;
                case (WatchStep.WaitInKernel, _):
                    IsKicked = false;
                    if (_timedOut)
                    {
                        duty.BecomeIdle(isBacklogEmpty: true);
                    }

                    Next(WatchStep.Look);
                    break;
                case (WatchStep.Sleep, 0) or (WatchStep.Watch, 0):
                    // Under the lock that wakers take: either they see the sleeper, or it sees what they did.
                    _isWoken = duty.Role != _turn.Role;
                    break;
                case (WatchStep.Sleep, 1) or (WatchStep.Watch, 1):
                    break;
                case (WatchStep.Sleep, _):
                    Next(WatchStep.Look);
                    break;
                case (WatchStep.Watch, _):
                    Next(duty.Watched(_turn, !_timedOut, world._completed.Count > 0, nowMs: 0));
                    break;
                case (WatchStep.TakeOver, 0):
                    world.EnterKernel();
                    break;
                case (WatchStep.TakeOver, _):
                    Next(duty.TookOver(world._completed.Count > 0));
                    break;
            }
        }

        private void Next(WatchStep step)
        {
            _step = step;
            _part = 0;
            _timedOut = false;
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
            int count = world.Duty.Take(role, taken, world.TakeReady);
            return count > 0 ? null : count;
        }

        if (part <= taken.Count)
        {
            world.Duty.Exit();
            world._completed.Enqueue(taken[part - 1]);
            return null;
        }

        if (turn is null || !world.Duty.Gathers(turn))
        {
            world.EnterKernel();
        }

        return taken.Count;
    }
}
