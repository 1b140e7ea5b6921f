using Sluice.Engines;

namespace Sluice.Tests.Engines.Interleavings;

internal sealed partial class DutyWorld
{
    private sealed class Watcher(DutyWorld world) : Actor
    {
        /// <summary>The part of a wait in which nobody may enter the kernel.</summary>
        private const int Napping = 10;

        private readonly WatchTurn _turn = new();
        private readonly List<int> _taken = [];
        private WatchStep _step = WatchStep.Look;
        private int _part;
        private int _count;
        private bool _isWoken;
        private bool _timedOut;

        /// <summary>An entry that completes at once ends its wait in the kernel.</summary>
        public bool IsKicked { get; set; }

        public override bool CanStep => _step switch
        {
            WatchStep.WaitInKernel when _part == 1 => IsKicked || world._ready.Count > 0,
            WatchStep.WaitInKernel when _part == Napping => false,
            WatchStep.Sleep or WatchStep.Watch when _part == 1 => _isWoken,
            WatchStep.Leave => !world._isClosed && (world._executing == 0 || world._ring.Defect == DutyDefect.ClosesAtOnce),
            _ => true,
        };

        // Half a second in the kernel counts only for becoming idle.
        public override bool HasTimer => _step switch
        {
            WatchStep.Watch => _part == 1,
            WatchStep.WaitInKernel => _part == Napping || (_part == 1 && world.Duty.InFlight == 0),
            _ => false,
        };

        public override string ToString() => $"watcher {_step}.{_part} of {_turn.Role}";

        public void Wake() => _isWoken = true;

        public override void TimeOut()
        {
            _timedOut = true;
            _part = 2;
        }

        public override void Step()
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
                case (WatchStep.WaitInKernel, 0):
                    if (world._isRefused)
                    {
                        _part = Napping;
                    }
                    else
                    {
                        world.Touch();
                        _part = world._kernelRefuses ? 3 : 1;
                    }

                    break;
                case (WatchStep.WaitInKernel, 1):
                    break;
                case (WatchStep.WaitInKernel, 3):
                    world.Refuse();
                    Next(WatchStep.Look);
                    break;
                case (WatchStep.WaitInKernel, _):
                    IsKicked = false;
                    if (_timedOut && !world._isRefused)
                    {
                        duty.BecomeIdle(world.IsBacklogEmpty);
                    }

                    Next(WatchStep.Look);
                    break;
                case (WatchStep.Sleep, 0) or (WatchStep.Watch, 0):
                    // Under the lock that wakers take: either they see the sleeper, or it sees what they did.
                    _isWoken = duty.Role != _turn.Role || duty.HasEnded;
                    break;
                case (WatchStep.Sleep, 1) or (WatchStep.Watch, 1):
                    break;
                case (WatchStep.Sleep, _):
                    Next(WatchStep.Look);
                    break;
                case (WatchStep.Watch, _):
                    Next(duty.Watched(_turn, !_timedOut, world._completed.Count > 0, nowMs: 0));
                    break;
                case (WatchStep.Leave, _):
                    world._isClosed = true;
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
}
