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
        private bool _got;
        private bool _more;

        public override bool CanStep => _step switch
        {
            DutyStep.Leave => world._workItems > 0,
            DutyStep.Run when _part == 1 => world._operations[_picked].WaitsFor is var other && (other < 0 || world._ran[other]),
            DutyStep.Wait when _part == 2 => world._ready.Count > 0,
            _ => true,
        };

        public override bool HasTimer => _step == DutyStep.Wait && _part == 2;

        public override bool IsIdle => _step == DutyStep.Leave;

        public override string ToString() => $"worker {_step}.{_part} as {_turn.Role} with {_picked}";

        public override void TimeOut() => _part = 3;

        public override void Step()
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
                    foreach (int submitted in world._operations[_picked].Submits ?? [])
                    {
                        world.Submit(submitted, _turn);
                    }

                    break;
                case (DutyStep.Run, 2):
                    _more = world._completed.Count > 0;
                    break;
                case (DutyStep.Run, _):
                    duty.Measure(world._operations[_picked].Ticks, isInterrupted: false);
                    Next(duty.Ran(_turn, _more, isPoolWanted: false));
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
                        Next(CompletionDuty.Taken(_turn, count, world._completed.Count > 0, isPoolWanted: false));
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
                    world._entering++;
                    world.EnterKernel();
                    break;
                case (DutyStep.Wait, 1):
                    duty.EnterKernel(_turn);
                    break;
                case (DutyStep.Wait, 2):
                    break;
                case (DutyStep.Wait, 3):
                    duty.LeaveKernel(_turn);
                    break;
                case (DutyStep.Wait, 4):
                    world._entering--;
                    break;
                case (DutyStep.Wait, _):
                    Next(CompletionDuty.Waited(_turn, world._ready.Count > 0));
                    break;
                case (DutyStep.Retire, 0):
                    world.EnterKernel();
                    break;
                case (DutyStep.Retire, 1):
                    _got = duty.StepDown(_turn, isBacklogEmpty: true);
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

        private void Next(DutyStep step)
        {
            _step = step;
            _part = 0;
        }
    }
}
