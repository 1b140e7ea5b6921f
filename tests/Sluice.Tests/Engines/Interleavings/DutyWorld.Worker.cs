using Sluice.Engines;

namespace Sluice.Tests.Engines.Interleavings;

internal sealed partial class DutyWorld
{
    private sealed class Worker(DutyWorld world) : Actor
    {
        private readonly DutyTurn _turn = new();
        private readonly List<int> _taken = [];
        private DutyStep _step = DutyStep.Leave;
        private int _part;
        private int _picked = -1;
        private int _toSubmit;
        private bool _got;
        private bool _more;
        private bool _isEnding;
        private bool _sawRefusal;
        private bool _isRefused;

        public override bool CanStep => _step switch
        {
            DutyStep.Leave => _isEnding || world._workItems > 0,
            DutyStep.Run when _part == 1 => world.MayRun(_picked),
            DutyStep.Wait when _part == 3 => world._ready.Count > 0,
            _ => true,
        };

        public override bool HasTimer => _step == DutyStep.Wait && _part == 3;

        public override bool IsIdle => _step == DutyStep.Leave && !_isEnding;

        public override string ToString() => $"worker {_step}.{_part} as {_turn.Role} with {_picked}";

        public override void TimeOut() => _part = 4;

        public override void Step()
        {
            CompletionDuty duty = world.Duty;
            switch (_step, _part++)
            {
                case (DutyStep.Leave, _) when _isEnding:
                    world.EnterKernel();
                    world._executing--;
                    _isEnding = false;
                    _part = 0;
                    break;
                case (DutyStep.Leave, _):
                    world._workItems--;
                    world._executing++;
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
                    world.Run(_picked, _turn);
                    break;
                case (DutyStep.Run, 2):
                    _more = world._completed.Count > 0;
                    _sawRefusal = world._isRefused;
                    break;
                case (DutyStep.Run, _):
                    if (!_sawRefusal)
                    {
                        // Reads the submission queue, to submit early.
                        world.Touch();
                    }

                    duty.Measure(world._operations[_picked].Ticks);
                    Next(duty.Ran(_turn, _more, (duty.AreContinuationsLong || !duty.Leads(_turn)) && world._isPoolWanted));
                    break;
                case (DutyStep.Consider, _):
                    Next(duty.Considered(_turn, world._isPoolWanted, nowMs: 0));
                    break;
                case (DutyStep.Summon, 0):
                    world._watcher.Wake();
                    break;
                case (DutyStep.Summon, 1):
                    world.QueueWaker();
                    world.EnterKernel();
                    break;
                case (DutyStep.Summon, _):
                    Next(duty.Summoned(_turn));
                    break;
                case (DutyStep.Take, _):
                    if (TakeOn(world, _turn.Role, _turn, _taken, _part - 1) is { } count)
                    {
                        Next(CompletionDuty.Taken(_turn, count, world._completed.Count > 0, count > 0 && world._isPoolWanted));
                    }

                    break;
                case (DutyStep.RunAlone, 0):
                    _got = duty.InFlight == 1 && world._backlog.Count == 0 && !world._isRefused
                        && world._gathered.Count == 1 && world._wakers == 0 && world._shown == 0;
                    if (_got)
                    {
                        world.Touch();
                        _picked = world._gathered[0];
                        world._gathered.Clear();
                        world._used--;
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
                    Next(duty.RanAlone(_turn, _got, !_got && world._isPoolWanted));
                    break;
                case (DutyStep.Wait, 0):
                    duty.EnterKernel(_turn);
                    break;
                case (DutyStep.Wait, 1):
                    if (world._isRefused)
                    {
                        duty.LeaveKernel(_turn);
                        Next(CompletionDuty.Waited(_turn, false));
                        break;
                    }

                    _toSubmit = world._shown = world.Pending;
                    world._entering++;
                    break;
                case (DutyStep.Wait, 2):
                    EnterPublished();
                    break;
                case (DutyStep.Wait, 3):
                    break;
                case (DutyStep.Wait, 4):
                    duty.LeaveKernel(_turn);
                    break;
                case (DutyStep.Wait, 5):
                    world._entering--;
                    if (world._isRefused ? world._ring.Defect != DutyDefect.ForgetsWhatWasShown : _isRefused)
                    {
                        world.Refuse();
                    }

                    break;
                case (DutyStep.Wait, _):
                    // Reads the completion queue.
                    world.Touch();
                    Next(CompletionDuty.Waited(_turn, world._ready.Count > 0 || _toSubmit > 0));
                    break;
                case (DutyStep.Retire, 0):
                    world.EnterKernel();
                    break;
                case (DutyStep.Retire, 1):
                    _got = duty.StepDown(_turn, world.IsBacklogEmpty);
                    world.EnterKernel();
                    break;
                case (DutyStep.Retire, 2):
                    if (_got)
                    {
                        world._watcher.Wake();
                    }

                    break;
                case (DutyStep.Retire, _):
                    Next(CompletionDuty.Retired(_turn, world._completed.Count > 0));
                    break;
            }
        }

        /// <summary>Without the lock: others may have submitted what was shown, and the kernel then does not wait.</summary>
        private void EnterPublished()
        {
            world.Touch();
            _isRefused = world._kernelRefuses;
            if (_isRefused || world.Consume(_toSubmit) < _toSubmit)
            {
                _part = 4;
            }
        }

        private void Next(DutyStep step)
        {
            _step = step;
            _part = 0;
            if (step != DutyStep.Leave)
            {
                return;
            }

            if (_turn.HasLed)
            {
                _isEnding = true;
            }
            else
            {
                world._executing--;
            }
        }
    }
}
