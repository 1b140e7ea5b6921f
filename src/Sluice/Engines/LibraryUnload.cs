using System.Runtime.Loader;

namespace Sluice.Engines;

/// <summary>The end of the library in a load context that can be collected; elsewhere it has none.</summary>
internal static class LibraryUnload
{
    /// <summary>Has that done when the context is being unloaded: what .NET or a thread has of the library would hold it.</summary>
    public static void Register(Action close)
    {
        if (typeof(LibraryUnload).Assembly.IsCollectible)
        {
            AddTo(close);
        }
    }

    private static void AddTo(Action close)
    {
        if (AssemblyLoadContext.GetLoadContext(typeof(LibraryUnload).Assembly) is { } context)
        {
            context.Unloading += _ => close();
        }
    }
}
