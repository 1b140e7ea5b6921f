using System.Runtime.CompilerServices;

namespace Sluice.Cli.Tests.Support;

/// <summary>
/// The runner's own threads of the pool are blocked while tests run; `bench` and `tables`, which let the pool begin anew with its fewest
/// threads, would then wait half a second for the next one in every row.
/// </summary>
internal static class TestThreadPool
{
    private const int MinThreads = 16;

#pragma warning disable CA2255 // Not a library: nobody else loads it.
    [ModuleInitializer]
    public static void KeepThreads() => ThreadPool.SetMinThreads(MinThreads, MinThreads);
#pragma warning restore CA2255
}
