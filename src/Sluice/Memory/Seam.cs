using System.Diagnostics;

namespace Sluice.Memory;

/// <summary>
/// Places where .NET may wait for a lock of its own or need memory. In Debug builds a test comes there and throws what .NET would throw
/// there. Other builds have nothing of this.
/// </summary>
internal static class Seam
{
    private static Action<SeamKind>? s_comes;

    /// <param name="comes">Called at each such place from now on, in the whole process; null for nobody.</param>
    [Conditional("DEBUG")]
    public static void Use(Action<SeamKind>? comes) => Volatile.Write(ref s_comes, comes);

    /// <inheritdoc cref="SeamKind.Wait"/>
    [Conditional("DEBUG")]
    public static void Wait() => Volatile.Read(ref s_comes)?.Invoke(SeamKind.Wait);

    /// <inheritdoc cref="SeamKind.Memory"/>
    [Conditional("DEBUG")]
    public static void Memory() => Volatile.Read(ref s_comes)?.Invoke(SeamKind.Memory);

    /// <inheritdoc cref="SeamKind.QueueMemory"/>
    [Conditional("DEBUG")]
    public static void QueueMemory() => Volatile.Read(ref s_comes)?.Invoke(SeamKind.QueueMemory);
}

/// <summary>What may come at a <see cref="Seam"/>.</summary>
internal enum SeamKind
{
    /// <summary>.NET waits for a lock: a ThreadInterruptedException.</summary>
    Wait,

    /// <summary>A buffer is wanted: an OutOfMemoryException.</summary>
    Memory,

    /// <summary>.NET needs memory for a queue or a wait of its own: an OutOfMemoryException, of which no caller is to hear.</summary>
    QueueMemory,
}
