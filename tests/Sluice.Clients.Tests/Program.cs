using Sluice.Clients.Tests.Lucene;

namespace Sluice.Clients.Tests;

/// <summary>The entry of this assembly, which tests start as a second process.</summary>
internal static class Program
{
    private static int Main(string[] args) => args is ["index", string folder] ? LuceneKillTests.RunChild(folder) : 1;
}
