using Sluice.Engines;

namespace Sluice;

/// <summary>Represents an engine, which performs the transfers of files through the operating system.</summary>
/// <remarks>
/// <para>
/// A file uses <see cref="SluiceEngines.Default"/>, unless another engine is set with <see cref="SluiceOptions.Engine"/> or
/// <see cref="UseForCurrentContext"/>. To write an engine, derive from <see cref="InterceptingEngine"/>.
/// </para>
/// <para>All engines are thread-safe.</para>
/// </remarks>
public abstract class IoEngine
{
    private static bool s_ambientUsed;

    private protected IoEngine()
    {
    }

    /// <summary>Gets the short name of the engine: <c>uring</c>, <c>pool</c>, or the name of an <see cref="InterceptingEngine"/>.</summary>
    public abstract string Name { get; }

    /// <summary>The engine of the current context; null if none was set.</summary>
    internal static IoEngine? Ambient => Volatile.Read(ref s_ambientUsed) ? Context.Engine.Value : null;

    /// <summary>Sets the engine for all handles that are subsequently opened in the current asynchronous context.</summary>
    /// <param name="engine">The engine to use.</param>
    /// <returns>An object that restores the previous engine of the context when it is disposed.</returns>
    /// <exception cref="ArgumentNullException"><paramref name="engine"/> is <see langword="null"/>.</exception>
    /// <remarks>
    /// The setting flows with asynchronous calls, like the value of an <see cref="AsyncLocal{T}"/>. It does not apply to handles that are
    /// already open or that are opened with a <see cref="SluiceOptions.Engine"/>.
    /// </remarks>
    public static IDisposable UseForCurrentContext(IoEngine engine)
    {
        ArgumentNullException.ThrowIfNull(engine);
        IoEngine? previous = Context.Engine.Value;
        Context.Engine.Value = engine;
        Volatile.Write(ref s_ambientUsed, true);
        return new Scope(previous);
    }

    /// <summary>
    /// True if the engine runs transfers on pool threads, which they block. A direct transfer then enters the gate of its file only when it
    /// has a thread: if it waited for a thread inside the gate, all threads could be waiting for the gate.
    /// </summary>
    internal virtual bool BlocksThreads => false;

    /// <summary>
    /// Submits an operation. The engine calls <see cref="IoOperation.Complete"/> exactly once for this submission, on any thread, possibly
    /// before this method returns. Until then the operation's memory belongs to the engine.
    /// </summary>
    internal abstract void Submit(IoOperation operation);

    /// <summary>Holds the ambient engine. Initialized only in programs that set one.</summary>
    private static class Context
    {
        public static readonly AsyncLocal<IoEngine?> Engine = new();
    }

    private sealed class Scope(IoEngine? previous) : IDisposable
    {
        public void Dispose() => Context.Engine.Value = previous;
    }
}
