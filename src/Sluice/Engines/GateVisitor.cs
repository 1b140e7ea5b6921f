namespace Sluice.Engines;

/// <summary>A transfer that passes a <see cref="DirectWriteGate"/>. The lock of the gate guards its properties.</summary>
internal abstract class GateVisitor
{
    /// <summary>
    /// The visitor's place at the gate. Its owner may read this without the lock, because only the owner changes it from and to
    /// <see cref="GatePass.None"/>.
    /// </summary>
    public GatePass Pass { get; set; }

    /// <summary>True if the visitor excludes all other visitors.</summary>
    public bool IsExclusive { get; set; }

    /// <summary>The next of the visitors that were admitted together.</summary>
    public GateVisitor? NextAdmitted { get; set; }

    /// <summary>True if the visitor need not be admitted any more.</summary>
    public abstract bool IsCancellationRequested { get; }

    /// <summary>
    /// Called when a visitor that waited has been admitted. Called outside the lock, on the thread whose visitor left or was withdrawn, and
    /// must not run user code.
    /// </summary>
    public abstract void OnAdmitted();
}

/// <summary>The state of a <see cref="GateVisitor"/> at the gate.</summary>
internal enum GatePass : byte
{
    /// <summary>Neither inside nor waiting.</summary>
    None,

    Waiting,

    Inside,

    /// <summary>
    /// The result of <see cref="DirectWriteGate.Enter"/> for a canceled visitor, which was not admitted. <see cref="GateVisitor.Pass"/>
    /// never has this value.
    /// </summary>
    Cancelled,
}
