using System.Diagnostics;

namespace Sluice.Memory;

/// <summary>
/// Places where .NET may wait for a lock of its own or need memory, and where another thread may come between two looks. In Debug builds
/// a test comes there: it throws what .NET would throw there, or does what that other thread would do. Other builds have nothing of this.
/// </summary>
internal static class Seam
{
    private static Action<bool>? s_comes;

    /// <param name="comes">
    /// Called at each such place from now on, in the whole process, and told whether an exception may come there; null for nobody.
    /// </param>
    [Conditional("DEBUG")]
    public static void Use(Action<bool>? comes) => Volatile.Write(ref s_comes, comes);

    /// <summary>Here .NET may wait, or need memory: what follows is ready for its exception.</summary>
    [Conditional("DEBUG")]
    public static void Wait() => Volatile.Read(ref s_comes)?.Invoke(true);

    /// <summary>Here another thread may come between, and no exception.</summary>
    [Conditional("DEBUG")]
    public static void Between() => Volatile.Read(ref s_comes)?.Invoke(false);
}
