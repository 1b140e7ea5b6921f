namespace Sluice.Tests.Engines.Interleavings;

/// <summary>The ring of a <see cref="DutyWorld"/>, and what the kernel may say to it.</summary>
/// <param name="Entries">Entries that wait to be submitted.</param>
/// <param name="Slots">Operations in the ring; more wait in the backlog.</param>
/// <param name="MayRefuse">At any time the kernel may let nobody enter any more.</param>
/// <param name="MayStarve">The kernel may have no memory for entries for a while.</param>
/// <param name="StarvesOn">And then it has none any more.</param>
/// <param name="HasOthersWork">The pool has others' work, then none, and then some again, from any step on.</param>
/// <param name="MaxStarvedLooks">Tries in a row of which it takes no entry that are a refusal.</param>
/// <param name="Defect">What is done wrong.</param>
internal sealed record DutyRing(
    int Entries = int.MaxValue,
    int Slots = int.MaxValue,
    bool MayRefuse = false,
    bool MayStarve = false,
    bool StarvesOn = false,
    bool HasOthersWork = false,
    int MaxStarvedLooks = int.MaxValue,
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

    /// <summary>What found no room while the kernel had no memory waits until something completes.</summary>
    KeepsBacklogOfAStarvedRing,

    /// <summary>The role is given up as if nothing waited for room.</summary>
    IsIdleOverABacklog,

    /// <summary>Entries that the kernel had no memory for are not handed over again.</summary>
    StarvesForEver,

    /// <summary>A kernel that takes no entry any more is asked for ever.</summary>
    AsksAStarvedKernelForEver,

    /// <summary>A leader waits again at once where the kernel had no memory.</summary>
    AsksAStarvedKernelAgain,
}
