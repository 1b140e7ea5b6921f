namespace Sluice.Engines;

/// <summary>Where a <see cref="GateVisitor"/> stands.</summary>
internal enum GatePass : byte
{
    /// <summary>Neither inside nor waiting.</summary>
    None,

    /// <summary>In the queue.</summary>
    Waiting,

    /// <summary>Its place inside is kept, but it has not begun: the place may be taken back.</summary>
    Called,

    /// <summary>At work.</summary>
    Inside,

    /// <summary>The answer to who no longer wants to enter; nobody stands there.</summary>
    Cancelled,
}
