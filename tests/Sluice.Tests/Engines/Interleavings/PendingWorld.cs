using Sluice.Engines;

namespace Sluice.Tests.Engines.Interleavings;

/// <summary>What <see cref="PendingWorld"/> is to do wrong.</summary>
internal enum StageDefect
{
    None,

    /// <summary>Who has added something does not try the lock again.</summary>
    TriesOnce,

    /// <summary>Who has given the lock back does not look again.</summary>
    LooksNever,
}

/// <summary>
/// Threads that submit to a ring through a real <see cref="PendingSubmissions"/>, with a lock and a kernel that exist in numbers only: what
/// RingEntries does in several steps, each thread here does in as many.
/// </summary>
internal sealed class PendingWorld : World
{
    private readonly PendingSubmissions _stage = new();
    private readonly StageDefect _defect;
    private readonly List<IoOperation> _queued = [];
    private readonly HashSet<IoOperation> _kernel = new(ReferenceEqualityComparer.Instance);
    private readonly List<Submitter> _submitters = [];
    private readonly int _operations;
    private Submitter? _holder;
    private bool _hasLostOne;

    /// <param name="threads">How many submit.</param>
    /// <param name="each">How many operations each of them submits, one after another.</param>
    /// <param name="defect">What is done wrong.</param>
    public PendingWorld(int threads, int each, StageDefect defect = StageDefect.None)
    {
        _defect = defect;
        _operations = threads * each;
        for (int i = 0; i < threads; i++)
        {
            _submitters.Add(new Submitter(this, each));
        }
    }

    public override IReadOnlyList<Actor> Actors => _submitters;

    public override bool IsDone => _kernel.Count == _operations && _submitters.TrueForAll(static s => s.HasEnded);

    /// <summary>The kernel gets nothing twice; nobody who has ended leaves something behind that nobody sees to.</summary>
    public override bool IsSound => !_hasLostOne && (_kernel.Count == _operations || !_submitters.TrueForAll(static s => s.HasEnded));

    public override string ToString() =>
        $"{_kernel.Count} of {_operations} in the kernel, {_queued.Count} queued, something left {!_stage.IsEmpty}, "
            + $"held {_holder is not null}";

    private sealed class Submitter(PendingWorld world, int count) : Actor
    {
        private At _at = At.Try;
        private int _left = count;
        private IoOperation _mine = new();

        private enum At
        {
            Try,
            Decide,
            Add,
            TryAgain,
            Wait,
            Queue,
            EnterKernel,
            QueueStaged,
            EnterForOthers,
            Exit,
            Look,
            TryForOthers,
            Ended,
        }

        public bool HasEnded => _at == At.Ended;

        public override bool CanStep => _at switch
        {
            At.Ended => false,
            At.Wait => world._holder is null,
            _ => true,
        };

        public override void Step()
        {
            switch (_at)
            {
                case At.Try:
                    _at = TryHold() ? At.Queue : At.Decide;
                    break;
                case At.Decide:
                    _at = world._stage.IsClosed ? At.Wait : At.Add;
                    break;
                case At.Add:
                    world._stage.Add(_mine);
                    _at = At.TryAgain;
                    if (world._defect == StageDefect.TriesOnce)
                    {
                        Next();
                    }

                    break;
                case At.TryAgain:
                    if (TryHold())
                    {
                        _at = At.QueueStaged;
                    }
                    else
                    {
                        Next();
                    }

                    break;
                case At.Wait:
                    TryHold();
                    _at = At.Queue;
                    break;
                case At.Queue:
                    world._queued.Add(_mine);
                    _at = At.EnterKernel;
                    break;
                case At.EnterKernel:
                    world.EnterKernel();
                    _at = At.QueueStaged;
                    break;
                case At.QueueStaged:
                    IoOperation? operation = world._stage.TakeAll();
                    _at = operation is null ? At.Exit : At.EnterForOthers;
                    for (; operation is not null; operation = operation.Next)
                    {
                        world._queued.Add(operation);
                    }

                    break;
                case At.EnterForOthers:
                    world.EnterKernel();
                    _at = At.Exit;
                    break;
                case At.Exit:
                    world._holder = null;
                    _at = At.Look;
                    if (world._defect == StageDefect.LooksNever)
                    {
                        Next();
                    }

                    break;
                case At.Look:
                    _at = At.TryForOthers;
                    if (world._stage.IsEmpty)
                    {
                        Next();
                    }

                    break;
                case At.TryForOthers:
                    if (TryHold())
                    {
                        _at = At.QueueStaged;
                    }
                    else
                    {
                        Next();
                    }

                    break;
            }
        }

        private bool TryHold()
        {
            if (world._holder is not null)
            {
                return false;
            }

            world._holder = this;
            return true;
        }

        private void Next()
        {
            _mine = new IoOperation();
            _at = --_left > 0 ? At.Try : At.Ended;
        }
    }

    private void EnterKernel()
    {
        foreach (IoOperation operation in _queued)
        {
            _hasLostOne |= !_kernel.Add(operation);
        }

        _queued.Clear();
    }
}
