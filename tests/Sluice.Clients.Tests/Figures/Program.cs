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
            case ["clients", string directory, "--output", string page]:
                // Beside it first: a run that is ended leaves the page as it was.
                string whole = page + ".new";
                await using (StreamWriter writer = new(whole) { NewLine = "\n" })
                {
                    await ClientFigures.WriteAsync(writer, directory, rounds: 9);
                }

                File.Move(whole, page, overwrite: true);
                return 0;
            case ["clients", string directory, string rounds, .. { Length: <= 1 } part]:
                await ClientFigures.WriteAsync(
                    Console.Out, directory, int.Parse(rounds, CultureInfo.InvariantCulture), part.FirstOrDefault());
                return 0;
            case ["work", string directory, string way, string times, string part]:
                FileCaching? caching = Enum.TryParse(way, out FileCaching known) ? known : null;
                await ClientFigures.WorkAsync(directory, part, caching, int.Parse(times, CultureInfo.InvariantCulture));
                return 0;
            default:
                Console.Error.WriteLine("usage: Sluice.Clients.Tests clients DIRECTORY [--output FILE | ROUNDS [PART_OF_A_NAME]]");
                Console.Error.WriteLine("       Sluice.Clients.Tests work DIRECTORY FileStream|Cached|Uncached|Direct TIMES PART");
                return 2;
        }
    }
}
