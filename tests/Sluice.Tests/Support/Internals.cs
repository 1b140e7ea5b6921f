using Sluice.Diagnostics;

namespace Sluice.Tests.Support;

/// <summary>What tests need of the library's inside, in one place.</summary>
internal static class Internals
{
    /// <summary>Makes a file cold.</summary>
    public static void Drop(SluiceHandle handle) => _ = PageCache.Drop(handle.SafeFileHandle);

    /// <summary>Whether a handle's asynchronous reads go to the ring, under faults too.</summary>
    public static bool UsesRing(SluiceHandle handle) => handle.EngineName.EndsWith("uring", StringComparison.Ordinal);
}
