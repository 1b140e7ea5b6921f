using System.Globalization;

namespace Sluice.Faults.Tests.Support;

/// <summary>How often a child is killed on each file system: SLUICE_KILLS, and few by default, since each costs the start of a process.</summary>
internal static class Kills
{
    private const int Default = 16;

    /// <summary>Kills that all fell between two operations have proved nothing: there are more, up to so many times as many.</summary>
    private const int MostFold = 10;

    private static readonly int Asked =
        int.TryParse(Environment.GetEnvironmentVariable("SLUICE_KILLS"), CultureInfo.InvariantCulture, out int kills) && kills > 0 ? kills : Default;

    /// <summary>Whether there is another one.</summary>
    public static bool GoOn(int done, int hits) => done < Asked || (hits == 0 && done < Asked * MostFold);
}
