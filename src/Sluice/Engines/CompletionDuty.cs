using System.Diagnostics;
using Sluice.Kernel;
using Sluice.Memory;

namespace Sluice.Engines;

/// <summary>
/// The role of taking a ring's completions (decision 0002): which thread has it, and what each thread does next. The class makes no system
/// call, reads no clock and starts no thread. A thread asks for its next step, makes it, and reports the result, so CompletionDutyTests can
/// explore the interleavings of these steps.
/// </summary>
/// <remarks>
/// The completion thread has the role at first. A pool thread that has run continuations takes it (a leader), and nobody has it while
/// nothing is in flight. While continuations are long, a leader requests another pool thread before it runs one, and a pool thread without
/// work takes the role from it. In every interleaving:
/// (a) a continuation begins after at most one switch between threads or, in the batch of a leader whose continuations have been short,
/// after the continuations before it and two checks of the completion thread;
/// (b) no user code runs on the completion thread;
/// (c) a thread is always scheduled to run the continuations of completed operations: a thread that runs one while others are queued, and is
/// not watched, has requested another work item of the pool before;
/// (d) some thread has the role while an operation is in flight.
/// Each method is one atomic step. Methods that say so are called under the ring's submission lock. Thread-safe.
/// </remarks>
/// <param name="longTicks">The duration from which a continuation is long.</param>
internal class CompletionDuty(long longTicks)
{
    /// <summary>Takes completions. Returns their number.</summary>
    internal delegate int Taker<T>(Span<T> destination);

    /// <summary>The role of the completion thread. Leaders have positive numbers.</summary>
    public const int CompletionThread = 0;

    /// <summary>The value of <see cref="Role"/> if no thread has the role and nothing is in flight.</summary>
    public const int Nobody = -1;

    /// <summary>The result of <see cref="Take"/> for a thread that no longer has the role.</summary>
    public const int Lost = -1;

    private readonly Lock _lock = new();
    private bool _isWatching;
    private int _lastLeader;
    private bool _isRefused;

    private CacheLinePadded _role;

    /// <summary>The role of the leader that is in the kernel; otherwise, 0.</summary>
    private CacheLinePadded _inKernel;
    private CacheLinePadded _inFlight;
    private ContinuationGauge _gauge = new(longTicks);
    private CacheLinePadded _beat;
    private CacheLinePadded _asked;

    /// <summary>The number of operations in the ring.</summary>
    public int InFlight => Volatile.Read(ref _inFlight.Value);

    /// <summary>The number of work items that were queued to the pool and have not begun: 0 or 1.</summary>
    public int Asked => Volatile.Read(ref _asked.Value);

    public int Role => Volatile.Read(ref _role.Value);

    /// <summary>True if recent continuations were long, or one blocked a leader.</summary>
    public bool AreContinuationsLong => _gauge.IsLong;

    /// <summary>True if the completion thread must end: the ring is refused and nothing is in flight.</summary>
    public bool HasEnded => Volatile.Read(ref _isRefused) && InFlight == 0 && Role <= CompletionThread;

    /// <summary>Counts an operation that is added to the ring. Called under the submission lock.</summary>
    public void Enter() => Interlocked.Increment(ref _inFlight.Value);

    /// <summary>Counts an operation that has left the ring.</summary>
    public void Exit() => Interlocked.Decrement(ref _inFlight.Value);

    /// <summary>
    /// Called when the ring is refused. From now on there are no leaders, and the completion thread waits for the operations in flight.
    /// </summary>
    public void Refuse() => Volatile.Write(ref _isRefused, true);

    /// <summary>Returns true if continuations are long, so that transfers are blocking calls while few are in flight.</summary>
    /// <param name="nowMs">The value of <see cref="Environment.TickCount64"/>.</param>
    public bool PrefersCalls(long nowMs) => _gauge.IsLongAt(nowMs);

    /// <inheritdoc cref="ContinuationGauge.Measure"/>
    public void Measure(long ticks) => _gauge.Measure(ticks);

    /// <summary>
    /// Returns true if a thread may leave its entries to the leader, which submits them together. The completion thread must watch the
    /// leader, because it submits the entries if a continuation blocks the leader; and unless the thread is the leader, the leader must not
    /// have begun to enter the kernel. Called under the submission lock.
    /// </summary>
    /// <param name="turn">The thread's turn.</param>
    /// <param name="isEntering">A leader is submitting published entries.</param>
    public bool Gathers(DutyTurn turn, bool isEntering) =>
        Volatile.Read(ref _isWatching) && (Leads(turn) || (Role > CompletionThread && !isEntering));

    /// <summary>
    /// True if a watched leader outside of the kernel runs short continuations; a second thread would only take its processor.
    /// </summary>
    private bool IsServed =>
        Role is > CompletionThread and var role && role != Volatile.Read(ref _inKernel.Value)
            && !AreContinuationsLong && Volatile.Read(ref _isWatching);

    public bool Leads(DutyTurn turn) => turn.Role > CompletionThread && Role == turn.Role;

    /// <summary>Takes completions, one thread at a time, if <paramref name="role"/> is the current role.</summary>
    /// <returns>The number of completions, or <see cref="Lost"/>.</returns>
    public int Take<T>(int role, Span<T> destination, Taker<T> take)
    {
        using (_lock.EnterScope())
        {
            return _role.Value == role ? take(destination) : Lost;
        }
    }

    /// <summary>Begins a work item of the pool.</summary>
    public DutyStep Begin(DutyTurn turn)
    {
        // A full fence: a thread that queues a completed operation from now on requests a work item; an earlier operation is found here.
        Interlocked.Exchange(ref _asked.Value, 0);
        turn.Role = CompletionThread;
        turn.HasLed = false;
        turn.TimesWanted = 0;
        return IsServed ? DutyStep.Leave : DutyStep.Pick;
    }

    /// <param name="turn">The thread's turn.</param>
    /// <param name="got">A completed operation was dequeued.</param>
    /// <param name="more">More of them are queued.</param>
    public DutyStep Picked(DutyTurn turn, bool got, bool more)
    {
        if (!got)
        {
            return Leads(turn) ? DutyStep.Take : DutyStep.Consider;
        }

        bool asks = more ? NeedsHelp(turn) : AreContinuationsLong && Leads(turn) && InFlight > 0;
        return asks ? AskBefore(turn, DutyStep.Run) : DutyStep.Run;
    }

    public static DutyStep HelpAsked(DutyTurn turn) => turn.After;

    /// <param name="turn">The thread's turn.</param>
    /// <param name="more">More completed operations are queued.</param>
    /// <param name="isPoolWanted">
    /// The pool has other work. Not checked for a leader of short continuations.
    /// </param>
    public DutyStep Ran(DutyTurn turn, bool more, bool isPoolWanted)
    {
        if (Leads(turn))
        {
            _beat.Value++;
            turn.After = DutyStep.Pick;
            return isPoolWanted && AreContinuationsLong ? DutyStep.Retire : DutyStep.Pick;
        }

        // If the pool has other work, each continuation is a work item, and the pool decides on their order.
        return IsServed ? DutyStep.Leave : more && isPoolWanted ? AskBefore(turn, DutyStep.Leave) : DutyStep.Pick;
    }

    /// <param name="turn">The thread's turn.</param>
    /// <param name="isPoolWanted">The pool has other work.</param>
    /// <param name="nowMs">The value of <see cref="Environment.TickCount64"/>.</param>
    public DutyStep Considered(DutyTurn turn, bool isPoolWanted, long nowMs)
    {
        if (InFlight == 0 || isPoolWanted || Volatile.Read(ref _isRefused))
        {
            return DutyStep.Leave;
        }

        bool relieves;
        using (_lock.EnterScope())
        {
            relieves = _role.Value > CompletionThread;
            if (relieves && (!PrefersCalls(nowMs) || _inKernel.Value == _role.Value))
            {
                return DutyStep.Leave;
            }

            _lastLeader = _lastLeader == int.MaxValue ? 1 : _lastLeader + 1;
            turn.Role = _lastLeader;
            _role.Value = _lastLeader;
        }

        turn.HasLed = true;

        // The leader whose role was taken has summoned the completion thread. Until that watches, nothing is gathered.
        return relieves ? DutyStep.Take : DutyStep.Summon;
    }

    public DutyStep Summoned(DutyTurn turn) => Leads(turn) ? DutyStep.Take : DutyStep.Pick;

    /// <param name="turn">The thread's turn.</param>
    /// <param name="count">The number of completions that were taken, or <see cref="Lost"/>.</param>
    /// <param name="more">Completed operations are queued.</param>
    /// <param name="isPoolWanted">The pool has other work. Checked only if completions were taken.</param>
    public static DutyStep Taken(DutyTurn turn, int count, bool more, bool isPoolWanted)
    {
        if (count == Lost)
        {
            return DutyStep.Pick;
        }

        if (count == 0)
        {
            return more ? DutyStep.Pick : DutyStep.RunAlone;
        }

        turn.TimesWanted = isPoolWanted ? turn.TimesWanted + 1 : 0;
        return turn.TimesWanted < Tuning.LeaderPatience ? DutyStep.Pick : RetireThen(turn, DutyStep.Pick);
    }

    /// <param name="turn">The thread's turn.</param>
    /// <param name="done">The thread has performed the only operation in flight, which is queued as completed.</param>
    /// <param name="isPoolWanted">The pool has other work. Checked only if there was no such transfer.</param>
    public DutyStep RanAlone(DutyTurn turn, bool done, bool isPoolWanted)
    {
        if (done)
        {
            // The duration of the call is not measured: if it was long, the completion thread has taken the role (see Watched).
            _beat.Value++;
            return DutyStep.Pick;
        }

        if (InFlight > 0 && !isPoolWanted && !Volatile.Read(ref _isRefused))
        {
            return DutyStep.Wait;
        }

        return RetireThen(turn, DutyStep.Leave);
    }

    /// <summary>
    /// Called before a leader enters the kernel. Until <see cref="LeaveKernel"/>, the completion thread does not take its role.
    /// </summary>
    public void EnterKernel(DutyTurn turn)
    {
        using (_lock.EnterScope())
        {
            if (_role.Value == turn.Role)
            {
                _inKernel.Value = turn.Role;
            }
        }
    }

    public void LeaveKernel(DutyTurn turn)
    {
        _beat.Value++;
        Interlocked.CompareExchange(ref _inKernel.Value, 0, turn.Role);
    }

    /// <param name="turn">The thread's turn.</param>
    /// <param name="any">An operation has completed in time.</param>
    public static DutyStep Waited(DutyTurn turn, bool any) => any ? DutyStep.Take : RetireThen(turn, DutyStep.Leave);

    /// <summary>
    /// Gives the role up, if this thread has it. Called under the submission lock. The thread submits gathered entries before it releases
    /// the lock.
    /// </summary>
    /// <param name="turn">The thread's turn.</param>
    /// <param name="isBacklogEmpty">No operation waits for a slot.</param>
    /// <returns>True if the completion thread must be woken.</returns>
    public bool StepDown(DutyTurn turn, bool isBacklogEmpty)
    {
        using (_lock.EnterScope())
        {
            if (_role.Value != turn.Role)
            {
                return false;
            }

            return (_role.Value = InFlight == 0 && isBacklogEmpty ? Nobody : CompletionThread) == CompletionThread;
        }
    }

    /// <summary>Called after <see cref="StepDown"/>. The thread runs queued continuations without the role.</summary>
    public static DutyStep Retired(DutyTurn turn, bool more)
    {
        turn.Role = CompletionThread;
        return more ? DutyStep.Pick : turn.After;
    }

    /// <summary>
    /// Gives the role to the completion thread if nobody has it. Returns true if it did, and the thread must be woken. Called under the
    /// submission lock.
    /// </summary>
    public bool LeaveIdle()
    {
        if (Role != Nobody)
        {
            return false;
        }

        using (_lock.EnterScope())
        {
            if (_role.Value != Nobody)
            {
                return false;
            }

            _role.Value = CompletionThread;
            return true;
        }
    }

    /// <summary>
    /// Takes the role from the completion thread if nothing is in flight or in the backlog. The next submission wakes the thread. Called
    /// under the submission lock.
    /// </summary>
    public void BecomeIdle(bool isBacklogEmpty)
    {
        using (_lock.EnterScope())
        {
            if (_role.Value == CompletionThread && InFlight == 0 && isBacklogEmpty)
            {
                _role.Value = Nobody;
            }
        }
    }

    /// <summary>Returns the completion thread's next step for the current role. The thread begins with this step.</summary>
    public WatchStep Look(WatchTurn turn)
    {
        if (HasEnded)
        {
            return WatchStep.Leave;
        }

        // The beat is read before the role, so that a later step of this leader changes it.
        turn.Beat = Volatile.Read(ref _beat.Value);
        using (_lock.EnterScope())
        {
            // While a leader has the role, this thread watches it, so leaders may gather entries.
            turn.Role = _role.Value;
            _isWatching = _role.Value > CompletionThread;
        }

        return turn.Role switch
        {
            CompletionThread => WatchStep.Take,
            Nobody => WatchStep.Sleep,
            _ => WatchStep.Watch,
        };
    }

    /// <param name="count">The number of completions that were taken, or <see cref="Lost"/>.</param>
    /// <param name="more">Completed operations are queued.</param>
    public WatchStep WatcherTook(int count, bool more) =>
        count == 0 ? WatchStep.WaitInKernel : more && TryAsk() ? WatchStep.AskHelp : WatchStep.Look;

    /// <param name="turn">The completion thread's turn.</param>
    /// <param name="isWoken">The thread was woken before the time was over.</param>
    /// <param name="more">Completed operations are queued.</param>
    /// <param name="nowMs">The value of <see cref="Environment.TickCount64"/>.</param>
    public WatchStep Watched(WatchTurn turn, bool isWoken, bool more, long nowMs)
    {
        if (isWoken)
        {
            return WatchStep.Look;
        }

        using (_lock.EnterScope())
        {
            // LeaveKernel changes the beat before it clears _inKernel, so they are read in the opposite order.
            if (_role.Value != turn.Role || Volatile.Read(ref _inKernel.Value) == turn.Role || Volatile.Read(ref _beat.Value) != turn.Beat)
            {
                return WatchStep.Look;
            }

            _role.Value = CompletionThread;
            if (more || InFlight > 0)
            {
                _gauge.NoteStuck(nowMs);
            }
        }

        return WatchStep.TakeOver;
    }

    /// <summary>Called after the completion thread has taken the role from a blocked leader and submitted the gathered entries.</summary>
    /// <param name="more">Completed operations are queued.</param>
    public WatchStep TookOver(bool more) => more && TryAsk() ? WatchStep.AskHelp : WatchStep.Look;

    /// <summary>
    /// Returns true if a thread must request another work item before it runs a continuation while others are queued. A leader of short
    /// continuations that is watched need not: if it blocks, the completion thread requests one.
    /// </summary>
    protected virtual bool NeedsHelp(DutyTurn turn) => !Leads(turn) || AreContinuationsLong || !Volatile.Read(ref _isWatching);

    private static DutyStep RetireThen(DutyTurn turn, DutyStep next)
    {
        turn.After = next;
        return DutyStep.Retire;
    }

    private DutyStep AskBefore(DutyTurn turn, DutyStep next)
    {
        turn.After = next;
        return TryAsk() ? DutyStep.AskHelp : next;
    }

    private bool TryAsk() => Interlocked.Exchange(ref _asked.Value, 1) == 0;
}

/// <summary>
/// The next step of a pool thread that runs continuations of a ring; see <see cref="CompletionDuty"/>. After a step, the thread calls the
/// method that is named with it, which returns the step that follows.
/// </summary>
internal enum DutyStep
{
    /// <summary>Returns to the pool.</summary>
    Leave,

    /// <summary>Dequeues a completed operation: <see cref="CompletionDuty.Picked"/>.</summary>
    Pick,

    /// <summary>Queues another work item to the pool: <see cref="CompletionDuty.HelpAsked"/>.</summary>
    AskHelp,

    /// <summary>Completes the operation, and runs the caller's continuation: <see cref="CompletionDuty.Ran"/>.</summary>
    Run,

    /// <summary>Checks whether to lead: <see cref="CompletionDuty.Considered"/>.</summary>
    Consider,

    /// <summary>Wakes the completion thread, which watches this leader: <see cref="CompletionDuty.Summoned"/>.</summary>
    Summon,

    /// <summary>Takes completions and queues them: <see cref="CompletionDuty.Taken"/>.</summary>
    Take,

    /// <summary>Performs the only transfer in flight with a system call: <see cref="CompletionDuty.RanAlone"/>.</summary>
    RunAlone,

    /// <summary>Submits gathered entries and waits briefly for completions: <see cref="CompletionDuty.Waited"/>.</summary>
    Wait,

    /// <summary>Submits gathered entries and gives the role up: <see cref="CompletionDuty.Retired"/>.</summary>
    Retire,
}

/// <summary>
/// The next step of a ring's completion thread. After a step, the thread calls the method that is named with it, which returns the step
/// that follows.
/// </summary>
internal enum WatchStep
{
    /// <summary>Ends.</summary>
    Leave,

    /// <summary>Checks which thread has the role: <see cref="CompletionDuty.Look"/>.</summary>
    Look,

    /// <summary>Takes completions and queues them: <see cref="CompletionDuty.WatcherTook"/>.</summary>
    Take,

    /// <summary>Queues another work item to the pool; then <see cref="Look"/>.</summary>
    AskHelp,

    /// <summary>Waits in the kernel for completions; then <see cref="Look"/>.</summary>
    WaitInKernel,

    /// <summary>Sleeps until it is woken; then <see cref="Look"/>.</summary>
    Sleep,

    /// <summary>Sleeps until it is woken, or for the time that a leader has for a step: <see cref="CompletionDuty.Watched"/>.</summary>
    Watch,

    /// <summary>Submits the entries that a blocked leader has gathered: <see cref="CompletionDuty.TookOver"/>.</summary>
    TakeOver,
}

/// <summary>State of one pool thread while it runs continuations of a ring, with or without the role. Used by that thread only.</summary>
internal sealed class DutyTurn
{
    private long _began;
    private long _ended;
    private long _submitting;

    /// <summary>The engine whose continuations the thread runs, or null if it runs none.</summary>
    public UringEngine? Engine { get; set; }

    /// <summary>The role of this thread if it is a leader; otherwise, 0.</summary>
    public int Role { get; set; }

    /// <summary>True if the thread has been a leader in this turn, and may have gathered entries.</summary>
    public bool HasLed { get; set; }

    /// <summary>The step that follows the current one.</summary>
    public DutyStep After { get; set; }

    /// <summary>The number of consecutive batches at whose end the pool had other work.</summary>
    public int TimesWanted { get; set; }

    /// <summary>Begins a turn of this thread.</summary>
    public void Begin(UringEngine engine)
    {
        Engine = engine;
        Role = CompletionDuty.CompletionThread;
        Pause();
    }

    /// <summary>
    /// Starts timing a continuation. If nothing came after the previous one, its end is the start, and the clock is not read.
    /// </summary>
    public void BeginRun()
    {
        _submitting = 0;
        _began = _ended > 0 ? _ended : Stopwatch.GetTimestamp();
    }

    /// <summary>Stops timing a continuation. Returns its duration without the time spent in submissions, in ticks.</summary>
    public long EndRun()
    {
        _ended = Stopwatch.GetTimestamp();
        return _ended - _began - _submitting;
    }

    /// <summary>Called before the thread does other work, so that the next continuation is timed from its own start.</summary>
    public void Pause() => _ended = 0;

    /// <summary>Excludes a submission from the continuation's time.</summary>
    public void NoteSubmission(long began) => _submitting += Stopwatch.GetTimestamp() - began;
}

/// <summary>State of the completion thread: the role that it found, and the number of steps that the leader had made.</summary>
internal sealed class WatchTurn
{
    public int Role { get; set; }

    public int Beat { get; set; }
}
