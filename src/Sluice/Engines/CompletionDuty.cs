using Sluice.Kernel;
using Sluice.Memory;

namespace Sluice.Engines;

/// <summary>
/// Who takes a ring's completions, who runs what follows them, who watches and who has been asked for help. It makes no system call,
/// reads no clock and starts no thread: it says what a thread is to do next, is told what came of it, and so can be explored step by
/// step (CompletionDutyTests does, over every order of a bounded number of preemptions).
/// </summary>
/// <remarks>
/// The role is the right to take completions. The completion thread holds it at first; a thread of the pool that has run continuations
/// takes it to wait itself (a leader); while nothing is in flight nobody has it. While continuations are long, a leader asks for help
/// before it runs one, and a thread with nothing to run relieves it of the role meanwhile. What holds in every order of steps:
/// (a) what has completed starts within one hop between threads of its completion, or, in the batch of a leader whose continuations have
/// been short, behind those before it and at most two looks of the watcher;
/// (b) no caller's code runs on the completion thread;
/// (c) what has completed is never without a thread that will run it: whoever is about to run a continuation while others wait, and is
/// not watched, has asked the pool for another work item before;
/// (d) nobody holds nothing: the role is nobody's only while nothing is in flight.
/// Each method is one step, and atomic; those that say so are called under the ring's submission lock. Thread-safe.
/// </remarks>
/// <param name="longTicks">From here on a continuation is long.</param>
internal class CompletionDuty(long longTicks)
{
    /// <summary>Takes what is ready, as much as fits, and says how much.</summary>
    internal delegate int Taker<T>(Span<T> destination);

    /// <summary>The completion thread has the role.</summary>
    public const int CompletionThread = 0;

    /// <summary>Nobody has it, and nothing is in flight.</summary>
    public const int Nobody = -1;

    /// <summary>What taking returns to somebody who does not have the role any more.</summary>
    public const int Lost = -1;

    private readonly Lock _lock = new();
    private bool _isWatching;
    private int _lastLeader;
    private bool _isRefused;

    private CacheLinePadded _role;

    /// <summary>The role of the leader that is in the kernel; 0 where none is.</summary>
    private CacheLinePadded _inKernel;
    private CacheLinePadded _inFlight;
    private ContinuationGauge _gauge = new(longTicks);
    private CacheLinePadded _beat;
    private CacheLinePadded _asked;

    /// <summary>Operations in the ring.</summary>
    public int InFlight => Volatile.Read(ref _inFlight.Value);

    /// <summary>Work items that the pool has been asked for and has not begun: 0 or 1.</summary>
    public int Asked => Volatile.Read(ref _asked.Value);

    public int Role => Volatile.Read(ref _role.Value);

    /// <summary>Continuations have lately been long, or one stuck: whoever waits for them would keep others waiting.</summary>
    public bool AreContinuationsLong => _gauge.IsLong;

    /// <summary>The completion thread's work has ended: the ring is refused and nothing is in flight.</summary>
    public bool HasEnded => Volatile.Read(ref _isRefused) && InFlight == 0 && Role <= CompletionThread;

    /// <summary>An operation goes into the ring. Under the submission lock.</summary>
    public void Enter() => Interlocked.Increment(ref _inFlight.Value);

    /// <summary>An operation has come out of it.</summary>
    public void Exit() => Interlocked.Decrement(ref _inFlight.Value);

    /// <summary>Nobody leads any more; what is in flight is waited for by the completion thread.</summary>
    public void Refuse() => Volatile.Write(ref _isRefused, true);

    /// <summary>
    /// Whether one thread for each of few transfers, which waits for it and goes on, serves callers better than the ring: continuations
    /// are long, or one has lately been stuck.
    /// </summary>
    /// <param name="nowMs">The time, as <see cref="Environment.TickCount64"/> counts it.</param>
    public bool PrefersCalls(long nowMs) => _gauge.IsLongAt(nowMs);

    /// <inheritdoc cref="ContinuationGauge.Measure"/>
    public void Measure(long ticks) => _gauge.Measure(ticks);

    /// <summary>
    /// Whether this thread may leave entries to be handed over together: only while somebody leads who has yet to enter the kernel, and
    /// only once the completion thread watches, which hands them over should the leader's continuation block. Under the submission lock:
    /// so does whoever hands over, and whoever takes the role away.
    /// </summary>
    /// <param name="turn">The thread's turn.</param>
    /// <param name="isEntering">A leader is on its way into the kernel with what it has found.</param>
    public bool Gathers(DutyTurn turn, bool isEntering) =>
        Volatile.Read(ref _isWatching) && (Leads(turn) || (Role > CompletionThread && !isEntering));

    /// <summary>A leader that is watched runs short continuations: a second thread beside it would only take its processor.</summary>
    private bool IsServed =>
        Role is > CompletionThread and var role && role != Volatile.Read(ref _inKernel.Value)
            && !AreContinuationsLong && Volatile.Read(ref _isWatching);

    public bool Leads(DutyTurn turn) => turn.Role > CompletionThread && Role == turn.Role;

    /// <summary>Takes completions, if <paramref name="role"/> is still the role: one thread at a time.</summary>
    /// <returns>What <paramref name="take"/> returns, or <see cref="Lost"/>.</returns>
    public int Take<T>(int role, Span<T> destination, Taker<T> take)
    {
        using (_lock.EnterScope())
        {
            return _role.Value == role ? take(destination) : Lost;
        }
    }

    /// <summary>A work item of the pool begins.</summary>
    public DutyStep Begin(DutyTurn turn)
    {
        // Full fence: whoever queues from here on sees that nobody is asked for, and asks; or it has queued before this thread looks.
        Interlocked.Exchange(ref _asked.Value, 0);
        turn.Role = CompletionThread;
        turn.HasLed = false;
        turn.TimesWanted = 0;
        return IsServed ? DutyStep.Leave : DutyStep.Pick;
    }

    /// <param name="turn">The thread's turn.</param>
    /// <param name="got">There was something to run.</param>
    /// <param name="more">More of it is queued.</param>
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
    /// <param name="more">More is queued.</param>
    /// <param name="isPoolWanted">
    /// The pool has work that is not this ring's; asked only where this thread does not lead short continuations.
    /// </param>
    public DutyStep Ran(DutyTurn turn, bool more, bool isPoolWanted)
    {
        if (Leads(turn))
        {
            _beat.Value++;
            turn.After = DutyStep.Pick;
            return isPoolWanted && AreContinuationsLong ? DutyStep.Retire : DutyStep.Pick;
        }

        // Beside others' work, one of them a work item: the pool decides whose turn it is.
        return IsServed ? DutyStep.Leave : more && isPoolWanted ? AskBefore(turn, DutyStep.Leave) : DutyStep.Pick;
    }

    /// <param name="turn">The thread's turn.</param>
    /// <param name="isPoolWanted">The pool has work that is not this ring's.</param>
    /// <param name="nowMs">The time, as <see cref="Environment.TickCount64"/> counts it.</param>
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

        // Who is relieved has summoned the completion thread; should that not watch yet, nothing is gathered until it does.
        return relieves ? DutyStep.Take : DutyStep.Summon;
    }

    public DutyStep Summoned(DutyTurn turn) => Leads(turn) ? DutyStep.Take : DutyStep.Pick;

    /// <param name="turn">The thread's turn.</param>
    /// <param name="count">How many were taken and queued; <see cref="Lost"/> where the role has gone.</param>
    /// <param name="more">Something is queued: somebody may have left it for this leader.</param>
    /// <param name="isPoolWanted">The pool has work that is not this ring's; asked only where some were taken.</param>
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
    /// <param name="done">There was a lone transfer, and it is queued as completed.</param>
    /// <param name="isPoolWanted">The pool has work that is not this ring's; asked only where there was none.</param>
    public DutyStep RanAlone(DutyTurn turn, bool done, bool isPoolWanted)
    {
        if (done)
        {
            // Not a wait in the ring: had it lasted, the completion thread would have the role by now.
            _beat.Value++;
            return DutyStep.Pick;
        }

        if (InFlight > 0 && !isPoolWanted && !Volatile.Read(ref _isRefused))
        {
            return DutyStep.Wait;
        }

        return RetireThen(turn, DutyStep.Leave);
    }

    /// <summary>A leader enters the kernel, to wait or to hand over: no caller's code that blocks, however long it takes.</summary>
    /// <remarks>One that has lost the role meanwhile enters too, and hides nothing from who watches the next.</remarks>
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
    /// <param name="any">Something has completed in time.</param>
    public static DutyStep Waited(DutyTurn turn, bool any) => any ? DutyStep.Take : RetireThen(turn, DutyStep.Leave);

    /// <summary>
    /// Gives the role up, if this thread still has it. Under the submission lock, so that nothing enters the ring unseen, and what is
    /// gathered is handed over before that is released.
    /// </summary>
    /// <param name="turn">The thread's turn.</param>
    /// <param name="isBacklogEmpty">Nothing waits for room in the ring.</param>
    /// <returns>The completion thread is to be woken.</returns>
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

    /// <summary>
    /// After <see cref="StepDown"/>: whoever retires runs what is queued, as one that does not lead.
    /// </summary>
    public static DutyStep Retired(DutyTurn turn, bool more)
    {
        turn.Role = CompletionThread;
        return more ? DutyStep.Pick : turn.After;
    }

    /// <summary>
    /// Somebody must wait for what is in the ring: true when the completion thread is to be woken. Under the submission lock.
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
    /// Nothing is in flight: the next submission wakes the completion thread, which need not look until then. Under the submission lock.
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

    /// <summary>Where the completion thread begins, and comes back to.</summary>
    public WatchStep Look(WatchTurn turn)
    {
        if (HasEnded)
        {
            return WatchStep.Leave;
        }

        // The beat before the role: a step of this leader that is made from here on is seen.
        turn.Beat = Volatile.Read(ref _beat.Value);
        using (_lock.EnterScope())
        {
            // From here on leaders may gather: until none has the role, this thread comes back here and nowhere else.
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

    /// <param name="count">How many were taken and queued; <see cref="Lost"/> where the role has gone.</param>
    /// <param name="more">Something is queued.</param>
    public WatchStep WatcherTook(int count, bool more) =>
        count == 0 ? WatchStep.WaitInKernel : more && TryAsk() ? WatchStep.AskHelp : WatchStep.Look;

    /// <param name="turn">The completion thread's turn.</param>
    /// <param name="isWoken">Somebody has woken it; else the time is over.</param>
    /// <param name="more">Something is queued.</param>
    /// <param name="nowMs">The time, as <see cref="Environment.TickCount64"/> counts it.</param>
    public WatchStep Watched(WatchTurn turn, bool isWoken, bool more, long nowMs)
    {
        if (isWoken)
        {
            return WatchStep.Look;
        }

        using (_lock.EnterScope())
        {
            // A leader in the kernel makes its step when it comes out: whoever sees it outside sees the step too.
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

    /// <summary>The completion thread has the role of a leader that was stuck, and has handed over what that had gathered.</summary>
    /// <param name="more">Something is queued.</param>
    public WatchStep TookOver(bool more) => more && TryAsk() ? WatchStep.AskHelp : WatchStep.Look;

    /// <summary>
    /// Whether a thread that is about to run a continuation has the pool run what is queued behind it. A leader that is watched need not:
    /// should it get stuck, the completion thread asks. Whoever has lost the role, even since it took what is queued, must ask itself.
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
