namespace Sluice.Engines;

/// <summary>A transfer that passes <see cref="DirectWriteGate"/>. The gate's lock guards all that is stored here.</summary>
internal abstract class GateVisitor
{
    /// <summary>Where it is. Its owner may read this without the lock: only the owner changes it from and to None.</summary>
    public GatePass Pass { get; set; }

    /// <summary>Keeps all others out.</summary>
    public bool IsExclusive { get; set; }

    /// <summary>The next of those that enter at the same time.</summary>
    public GateVisitor? NextEntered { get; set; }

    /// <summary>Its caller does not want it any more: it need not wait.</summary>
    public abstract bool IsCancellationRequested { get; }

    /// <summary>
    /// It waited and is inside now. Called outside the lock, on the thread of the visitor that left; runs no code of callers unless
    /// <see cref="BeginsWhenCalled"/>.
    /// </summary>
    public abstract void OnCalled();

    /// <summary>It begins on the thread that calls <see cref="OnCalled"/>; otherwise, a thread has to be found for it first.</summary>
    public abstract bool BeginsWhenCalled { get; }

    /// <summary>Calls <see cref="OnCalled"/> on a thread of the pool.</summary>
    public virtual void QueueCalled() => PoolWork.Queue(static visitor => visitor.OnCalled(), this);
}

/// <summary>Where a <see cref="GateVisitor"/> is.</summary>
internal enum GatePass : byte
{
    /// <summary>Neither inside nor waiting.</summary>
    None,

    /// <summary>In the queue.</summary>
    Waiting,

    /// <summary>It has entered, and may not have begun.</summary>
    Inside,

    /// <summary>Only an answer: the visitor no longer wants to enter.</summary>
    Cancelled,
}
