namespace Sluice.Cli.Programs.Frag;

/// <summary>
/// The steps of a run, derived from the settings and the number of bytes that may be written; equal values give equal plans. A cycle
/// creates files up to the budget or the number of files of a cycle, and then deletes files at random until the share to keep remains.
/// </summary>
internal sealed class FragPlan(FragSettings settings, long budgetBytes)
{
    // The space of a file in addition to its bytes: the rest of its last block, and blocks of metadata and directories.
    public const long OverheadBytes = 8192;

    public IEnumerable<FragStep> Steps()
    {
        var random = new Random(settings.Seed);
        var alive = new List<FragStep>();
        long filledBytes = 0;
        int number = 0;
        int depth = DepthOf(settings);
        for (int cycle = 1; settings.Cycles == 0 || cycle <= settings.Cycles; cycle++)
        {
            int made = 0;
            while (made < settings.FilesPerCycle && number < settings.MaxFiles
                && budgetBytes - filledBytes >= settings.MinSizeBytes + OverheadBytes)
            {
                // The last file of a cycle takes the remaining space; otherwise the volume would rarely become as full as requested.
                long size = Math.Min(
                    random.NextInt64(settings.MinSizeBytes, settings.MaxSizeBytes + 1), budgetBytes - filledBytes - OverheadBytes);
                string name = FragFolder.NameOf(number, settings.FilesPerDirectory, settings.SubdirectoriesPerDirectory, depth);
                var step = new FragStep(FragAction.Create, number, name, size);
                alive.Add(step);
                filledBytes += size + OverheadBytes;
                number++;
                made++;
                yield return step;
            }
            if (made == 0)
                yield break;
            int keep = (int)Math.Round(alive.Count * settings.KeepPercent / 100.0, MidpointRounding.AwayFromZero);
            while (alive.Count > keep)
            {
                int victim = random.Next(alive.Count);
                FragStep file = alive[victim];
                alive[victim] = alive[^1];
                alive.RemoveAt(alive.Count - 1);
                filledBytes -= file.SizeBytes + OverheadBytes;
                yield return file with { Action = FragAction.Delete };
            }
            yield return new FragStep(FragAction.EndCycle, cycle, "", filledBytes);
        }
    }

    /// <summary>Returns the number of directory levels that is needed for all files.</summary>
    internal static int DepthOf(FragSettings settings)
    {
        long leaves = (settings.MaxFiles + settings.FilesPerDirectory - 1L) / settings.FilesPerDirectory;
        int depth = 1;
        for (long reach = settings.SubdirectoriesPerDirectory; reach < leaves; reach *= settings.SubdirectoriesPerDirectory)
            depth++;
        return depth;
    }
}

internal enum FragAction { Create, Delete, EndCycle }

/// <summary>One step of the plan. <see cref="Number"/> is the number of the cycle at its end, and otherwise that of the file.</summary>
internal sealed record FragStep(FragAction Action, int Number, string Name, long SizeBytes)
{
    public override string ToString() => Action switch
    {
        FragAction.Create => $"create {Name} {SizeBytes}",
        FragAction.Delete => $"delete {Name}",
        _ => $"end of cycle {Number}",
    };
}
