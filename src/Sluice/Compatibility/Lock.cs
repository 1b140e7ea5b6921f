namespace Sluice.Compatibility;

/// <summary>
/// System.Threading.Lock, which .NET 8 lacks, over the object's monitor: there a lock statement takes the same monitor. Thread-safe.
/// </summary>
internal sealed class Lock
{
    public bool IsHeldByCurrentThread => Monitor.IsEntered(this);

    public void Enter() => Monitor.Enter(this);

    public bool TryEnter() => Monitor.TryEnter(this);

    public void Exit() => Monitor.Exit(this);

    public Scope EnterScope()
    {
        Monitor.Enter(this);
        return new Scope(this);
    }

    /// <summary>Leaves the lock when it is disposed of; a second time does nothing.</summary>
    public ref struct Scope
    {
        private Lock? _gate;

        internal Scope(Lock gate) => _gate = gate;

        public void Dispose()
        {
            if (_gate is { } gate)
            {
                _gate = null;
                gate.Exit();
            }
        }
    }
}
