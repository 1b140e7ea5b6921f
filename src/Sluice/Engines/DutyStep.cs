namespace Sluice.Engines;

/// <summary>What a thread of the pool that serves a ring is to do next; see <see cref="CompletionDuty"/>.</summary>
internal enum DutyStep
{
    /// <summary>It goes back to the pool.</summary>
    Leave,

    /// <summary>Takes the oldest of what has completed out of the queue: <see cref="CompletionDuty.Picked"/>.</summary>
    Pick,

    /// <summary>Has the pool run another work item: <see cref="CompletionDuty.HelpAsked"/>.</summary>
    AskHelp,

    /// <summary>Ends what was picked, and runs the caller's continuation: <see cref="CompletionDuty.Ran"/>.</summary>
    Run,

    /// <summary>Looks at the pool and the clock, whether to lead: <see cref="CompletionDuty.Considered"/>.</summary>
    Consider,

    /// <summary>Has the completion thread watch: <see cref="CompletionDuty.Summoned"/>.</summary>
    Summon,

    /// <summary>Takes what is ready and queues it: <see cref="CompletionDuty.Taken"/>.</summary>
    Take,

    /// <summary>Carries out a lone transfer itself: <see cref="CompletionDuty.RanAlone"/>.</summary>
    RunAlone,

    /// <summary>Hands over what was gathered and waits for completions, shortly: <see cref="CompletionDuty.Waited"/>.</summary>
    Wait,

    /// <summary>Hands over what was gathered, and the role: <see cref="CompletionDuty.Retired"/>.</summary>
    Retire,
}

/// <summary>What a ring's completion thread is to do next.</summary>
internal enum WatchStep
{
    /// <summary>It ends.</summary>
    Leave,

    /// <summary>Looks who has the role: <see cref="CompletionDuty.Look"/>.</summary>
    Look,

    /// <summary>Takes what is ready and queues it: <see cref="CompletionDuty.WatcherTook"/>.</summary>
    Take,

    /// <summary>Has the pool run another work item, then looks again.</summary>
    AskHelp,

    /// <summary>Waits in the kernel for completions, then looks again.</summary>
    WaitInKernel,

    /// <summary>Sleeps until somebody wakes it, then looks again.</summary>
    Sleep,

    /// <summary>
    /// Sleeps until somebody wakes it, or for as long as a leader may take for one step: <see cref="CompletionDuty.Watched"/>.
    /// </summary>
    Watch,

    /// <summary>Hands over what a stuck leader has gathered: <see cref="CompletionDuty.TookOver"/>.</summary>
    TakeOver,
}
