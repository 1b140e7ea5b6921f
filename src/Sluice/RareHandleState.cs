using Sluice.Interop;

namespace Sluice;

/// <summary>What few handles need, kept out of those that do not: opening a file should cost no more memory than it must.</summary>
internal sealed class RareHandleState
{
    /// <summary>Guards what is rare.</summary>
    public Lock Lock { get; } = new();

    /// <summary>Null: the process's own.</summary>
    public IoEngine? Engine { get; init; }

    public string? CachingReason { get; set; }

    public FileAlignment Alignment { get; set; } = FileAlignment.None;

    public DirectWriteGate? DirectGate { get; set; }

    /// <summary>The handle itself and the transfers on their way; 0 once the gate was given up.</summary>
    public int GateUsers;

    public bool DropsBehind { get; set; }

    public bool IsCharacterDevice { get; set; }

    public AppendTarget? AppendTarget { get; set; }

    public AppendCombiner? Combiner { get; set; }
}
