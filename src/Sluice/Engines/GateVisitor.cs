using System.Runtime.CompilerServices;
using Sluice.Memory;

namespace Sluice.Engines;

/// <summary>Who passes <see cref="DirectWriteGate"/>, one at a time each way. All that is stored here is the gate's, under its
/// lock.</summary>
internal abstract class GateVisitor
{
    private LinkedListNode<GateVisitor>? _node;

    /// <summary>Where it stands; its owner may read it without the lock, because only its owner changes it from and to None.</summary>
    public GatePass Pass { get; set; }

    /// <summary>Whether it keeps all others out.</summary>
    public bool IsExclusive { get; set; }

    /// <summary>It was called, and whoever brings it has not come yet: it is not called twice.</summary>
    public bool IsOnItsWay { get; set; }

    /// <summary>The next of those who are called at once.</summary>
    public GateVisitor? NextCalled { get; set; }

    /// <summary>Nobody wants it any more: it need not wait.</summary>
    public abstract bool IsCancellationRequested { get; }

    /// <summary>Begins as soon as it is called, on the thread that calls; else a thread has to be found for it first.</summary>
    public abstract bool BeginsWhenCalled { get; }

    /// <summary>Its place in a queue; made at the first use, which is to be where a want of memory has somebody to hear of it.</summary>
    public LinkedListNode<GateVisitor> Node => _node ?? MakeNode();

    /// <summary>
    /// Its turn has come. Called outside the lock, by whoever made way; runs no caller's code unless it <see cref="BeginsWhenCalled"/>.
    /// </summary>
    public abstract void OnCalled();

    /// <summary>Has a thread of the pool call <see cref="OnCalled"/>.</summary>
    public virtual void QueueCalled() => PoolWork.Queue(static visitor => visitor.OnCalled(), this);

    [MethodImpl(MethodImplOptions.NoInlining)]
    private LinkedListNode<GateVisitor> MakeNode()
    {
        Seam.Memory();
        return _node = new LinkedListNode<GateVisitor>(this);
    }
}

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
