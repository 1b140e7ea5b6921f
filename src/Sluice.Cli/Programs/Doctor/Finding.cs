namespace Sluice.Cli.Programs.Doctor;

/// <summary>Whether a thing is there.</summary>
internal enum FindingState
{
    Yes,
    No,

    /// <summary>A number or a name, which is neither.</summary>
    Fact,

    /// <summary>It could not be tried here.</summary>
    Unknown,
}

/// <summary>One thing that was looked at: whether it is there, how that is known, and what Sluice therefore does.</summary>
internal sealed record Finding(string Name, FindingState State, string Reason, string Consequence)
{
    public string Mark => State switch
    {
        FindingState.Yes => "yes",
        FindingState.No => "no",
        FindingState.Fact => "-",
        _ => "?",
    };
}

internal sealed record FindingGroup(string Name, IReadOnlyList<Finding> Findings);
