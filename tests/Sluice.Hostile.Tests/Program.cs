namespace Sluice.Hostile.Tests;

/// <summary>What tests start as a second process; never called by the test host.</summary>
internal static class Program
{
    public static async Task<int> Main(string[] args)
    {
        switch (args)
        {
            default:
                await Console.Error.WriteLineAsync("This program is started by its tests.");
                return 2;
        }
    }
}
