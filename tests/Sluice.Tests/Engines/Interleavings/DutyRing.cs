namespace Sluice.Tests.Engines.Interleavings;

/// <summary>The ring of a <see cref="DutyWorld"/>, and what the kernel may say to it.</summary>
/// <param name="Entries">Entries that wait to be submitted.</param>
/// <param name="Slots">Operations in the ring; more wait in the backlog.</param>
/// <param name="MayRefuse">At any time the kernel may let nobody enter any more.</param>
/// <param name="HasOthersWork">The pool has others' work, then none, and then some again, from any step on.</param>
/// <param name="Defect">What is done wrong.</param>
internal sealed record DutyRing(
    int Entries = int.MaxValue,
    int Slots = int.MaxValue,
    bool MayRefuse = false,
    bool HasOthersWork = false,
    DutyDefect Defect = DutyDefect.None);

/// <summary>What <see cref="DutyWorld"/> is to do wrong.</summary>
internal enum DutyDefect
{
    None,

    /// <summary>What waits for room stays where it is when the kernel refuses the ring.</summary>
    KeepsBacklogOfARefusedRing,

    /// <summary>A leader that comes out of a kernel which has refused the ring does not see to what it showed there.</summary>
    ForgetsWhatWasShown,

    /// <summary>Who meets a refusal wakes nobody.</summary>
    WakesNobodyAtARefusal,

    /// <summary>A refused ring is closed while threads are at it.</summary>
    ClosesAtOnce,

    /// <summary>Room in the ring is not given to what waits for it.</summary>
    KeepsBacklog,

    /// <summary>The role is given up as if nothing waited for room.</summary>
    IsIdleOverABacklog,
}
