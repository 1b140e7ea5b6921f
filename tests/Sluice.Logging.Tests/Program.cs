namespace Sluice.Logging.Tests;

/// <summary>What is run by hand; never called by the test host.</summary>
internal static class Program
{
    public static int Main(string[] args)
    {
        switch (args)
        {
            case ["peers", string directory]:
                return PeersProgram.Run(directory, seconds: 2);
            case ["peers", string directory, string seconds]:
                return PeersProgram.Run(directory, int.Parse(seconds, System.Globalization.CultureInfo.InvariantCulture));
            default:
                Console.Error.WriteLine("usage: Sluice.Logging.Tests peers DIRECTORY [SECONDS]");
                return 2;
        }
    }
}
