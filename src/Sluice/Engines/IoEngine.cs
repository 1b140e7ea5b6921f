using Sluice.Engines;

namespace Sluice;

/// <summary>
/// Carries operations to the operating system and completes them. The process's own is <see cref="SluiceEngines.Default"/>; tests put
/// an <see cref="InterceptingEngine"/> before it, through <see cref="SluiceOptions.Engine"/> or <see cref="UseForCurrentContext"/>.
/// Engines are thread-safe.
/// </summary>
public abstract class IoEngine
{
    private static readonly AsyncLocal<IoEngine?> AmbientEngine = new();
    private static bool s_ambientUsed;

    private protected IoEngine()
    {
    }

    /// <summary>The engine's short name: "uring", "pool", or that of an intercepting engine.</summary>
    public abstract string Name { get; }

    /// <summary>The engine of the current context, or null where none was set.</summary>
    internal static IoEngine? Ambient => Volatile.Read(ref s_ambientUsed) ? AmbientEngine.Value : null;

    /// <summary>
    /// Makes every handle that the current asynchronous context opens use <paramref name="engine"/>, until the result is disposed.
    /// </summary>
    /// <exception cref="ArgumentNullException"><paramref name="engine"/> is null.</exception>
    public static IDisposable UseForCurrentContext(IoEngine engine)
    {
        ArgumentNullException.ThrowIfNull(engine);
        IoEngine? previous = AmbientEngine.Value;
        AmbientEngine.Value = engine;
        Volatile.Write(ref s_ambientUsed, true);
        return new Scope(previous);
    }

    /// <summary>
    /// Whether transfers wait in a queue for a thread that may be blocked: then an operation must not hold a gate while it waits, for
    /// which those threads may be waiting themselves.
    /// </summary>
    internal virtual bool BlocksThreads => false;

    /// <summary>
    /// Takes an operation and sees to it that <see cref="IoOperation.Complete"/> is called exactly once for this submission, on any
    /// thread, now or later. Until then the operation's memory belongs to the engine.
    /// </summary>
    internal abstract void Submit(IoOperation operation);

    private sealed class Scope(IoEngine? previous) : IDisposable
    {
        public void Dispose() => AmbientEngine.Value = previous;
    }
}
