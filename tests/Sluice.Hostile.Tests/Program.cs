using Sluice.Hostile.Tests.Neighbours;
using Sluice.Hostile.Tests.Seams;
using Sluice.Hostile.Tests.Starved;

namespace Sluice.Hostile.Tests;

/// <summary>What tests start as a second process; never called by the test host.</summary>
internal static class Program
{
    public static async Task<int> Main(string[] args)
    {
        switch (args)
        {
            case ["hello"]:
                Console.WriteLine("hello");
                return 0;
            case ["exchange", .. string[] names]:
                return Exchange.Run(names);
            case ["planted", string folder, string outside]:
                return Planting.Run(folder, outside, isSticky: true);
            case ["swapped", string folder, string outside]:
                return Planting.Run(folder, outside, isSticky: false);
            case ["representative", string folder, string descriptors, string refusals]:
                return await Representative.RunAsync(folder, int.Parse(descriptors), mayRefuse: refusals == "may refuse");
            case ["refused ring", string folder, string kind, string allowed, string errno]:
                return await RefusedRing.RunAsync(folder, kind, int.Parse(allowed), int.Parse(errno));
            case ["cancelled in a refused ring", string empty, string errno]:
                return await RefusedRing.CancelAsync(empty, int.Parse(errno));
            case ["starting rings", string name]:
                return await StartingRings.RunAsync(name);
            case ["growing rings", string name]:
                return await StartingRings.GrowAsync(name);
            case ["starved start"]:
                return StartingRings.StarveFromTheBeginning();
            case ["described rings", string isRefused]:
                return StartingRings.Describe(bool.Parse(isRefused));
            case ["set rings", string knob, string value]:
                return StartingRings.Set(knob, value);
            default:
                await Console.Error.WriteLineAsync("This program is started by its tests.");
                return 2;
        }
    }
}
