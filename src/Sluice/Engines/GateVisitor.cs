namespace Sluice.Engines;

/// <summary>A transfer that passes a <see cref="DirectWriteGate"/>. The lock of the gate guards its properties.</summary>
internal abstract class GateVisitor
{
    /// <summary>
    /// The visitor's place at the gate. Its owner may read this without the lock, because only the owner changes it from and to
    /// <see cref="GatePass.None"/>.
    /// </summary>
    public GatePass Pass { get; set; }

    /// <summary>Excludes all other visitors.</summary>
    public bool IsExclusive { get; set; }

    /// <summary>The next of the visitors that were admitted together.</summary>
    public GateVisitor? NextAdmitted { get; set; }

    /// <summary>The visitor need not be admitted any more.</summary>
    public abstract bool IsCancellationRequested { get; }

    /// <summary>
    /// Called when the visitor, which waited, is inside. Called outside the lock, on the thread of a visitor that left, and must not run
    /// user code.
    /// </summary>
    public abstract void OnAdmitted();
}

/// <summary>Where a <see cref="GateVisitor"/> is.</summary>
internal enum GatePass : byte
{
    /// <summary>Neither inside nor waiting.</summary>
    None,

    Waiting,

    Inside,

    /// <summary>Only a result: the visitor is canceled and was not admitted.</summary>
    Cancelled,
}
