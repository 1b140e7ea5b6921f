namespace Sluice.Tests.Engines.Interleavings;

/// <summary>Threads that make one step at a time, in the order that <see cref="Explorer"/> chooses.</summary>
internal abstract class World
{
    /// <summary>Whoever may make steps; a step that nobody may make before time has passed is a timer's.</summary>
    public abstract class Actor
    {
        public abstract bool CanStep { get; }

        public virtual bool HasTimer => false;

        /// <summary>A thread of the pool between two work items.</summary>
        public virtual bool IsIdle => false;

        /// <summary>How often its timer has expired.</summary>
        public int TimeOuts { get; set; }

        public abstract void Step();

        public virtual void TimeOut()
        {
        }
    }

    public abstract IReadOnlyList<Actor> Actors { get; }

    /// <summary>All that was to happen has happened.</summary>
    public abstract bool IsDone { get; }

    /// <summary>What must hold after every step.</summary>
    public abstract bool IsSound { get; }
}
