namespace Sluice.Cli.Programs.Doctor;

/// <summary>The result of a test.</summary>
internal enum FindingState
{
    Yes,
    No,

    /// <summary>The finding is a value instead of yes or no.</summary>
    Fact,

    /// <summary>The feature could not be tested here.</summary>
    Unknown,
}

/// <summary>A tested feature: the result, how it was determined, and its consequence for Sluice.</summary>
internal sealed record Finding(string Name, FindingState State, string Reason, string Consequence)
{
    public string Mark => State switch
    {
        FindingState.Yes => "yes",
        FindingState.No => "no",
        FindingState.Fact => "-",
        _ => "?",
    };

    public static Finding Yes(string name, string reason, string consequence = "") => new(name, FindingState.Yes, reason, consequence);

    public static Finding No(string name, string reason, string consequence = "") => new(name, FindingState.No, reason, consequence);

    public static Finding Fact(string name, string reason, string consequence = "") => new(name, FindingState.Fact, reason, consequence);

    public static Finding Unknown(string name, string reason, string consequence = "") =>
        new(name, FindingState.Unknown, reason, consequence);

    /// <summary>Returns the finding of a system call that was tried.</summary>
    /// <param name="call">The text before the description of the errno.</param>
    public static Finding Tried(string name, int errno, string reason, string consequence, string otherwise, string call = "") =>
        errno == 0 ? Yes(name, reason, consequence) : No(name, call + ErrnoText.Of(errno), otherwise);
}

internal sealed record FindingGroup(string Name, IReadOnlyList<Finding> Findings);
