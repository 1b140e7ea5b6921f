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
            case ["representative", string folder, string descriptors, string refusals]:
                return await Representative.RunAsync(folder, int.Parse(descriptors), mayRefuse: refusals == "may refuse");
            case ["refused ring", string folder, string kind, string allowed, string errno]:
                return await RefusedRing.RunAsync(folder, kind, int.Parse(allowed), int.Parse(errno));
            case ["queued after a refusal"]:
                return QueuedAfterRefusal.Run();
            case ["cancelled in a full queue", string empty, string full]:
                return await CancelSeam.FillAsync(empty, full);
            case ["cancelled in a refused ring", string empty, string errno]:
                return await CancelSeam.RefuseAsync(empty, int.Parse(errno));
            case ["starting rings", string name]:
                return await StartingRings.RunAsync(name);
            case ["waiting start", string name]:
                return await StartingRings.WaitForThreadAsync(name);
            case ["growing rings", string name]:
                return await StartingRings.GrowAsync(name);
            case ["starved start"]:
                return StartingRings.StarveFromTheBeginning();
            case ["described rings", string isRefused]:
                return StartingRings.Describe(bool.Parse(isRefused));
            case ["set rings", string knob, string value]:
                return StartingRings.Set(knob, value);
            case ["first name", string folder]:
                return await Representative.FirstNameAsync(folder);
            default:
                await Console.Error.WriteLineAsync("This program is started by its tests.");
                return 2;
        }
    }
}
