using System.Globalization;

namespace Sluice.Clients.Tests.Figures;

/// <summary>What is run by hand; never called by the test host.</summary>
internal static class Program
{
    public static async Task<int> Main(string[] args)
    {
        switch (args)
        {
            case ["clients", string directory]:
                await ClientFigures.WriteAsync(Console.Out, directory, rounds: 9);
                return 0;
            case ["clients", string directory, string rounds, .. { Length: <= 1 } part]:
                await ClientFigures.WriteAsync(
                    Console.Out, directory, int.Parse(rounds, CultureInfo.InvariantCulture), part.FirstOrDefault());
                return 0;
            default:
                Console.Error.WriteLine("usage: Sluice.Clients.Tests clients DIRECTORY [ROUNDS [PART_OF_A_NAME]]");
                return 2;
        }
    }
}
