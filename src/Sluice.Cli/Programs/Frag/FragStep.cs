namespace Sluice.Cli.Programs.Frag;

internal enum FragAction { Create, Delete, EndCycle }

/// <summary>One step of the plan. At a cycle's end <see cref="Number"/> is the cycle, otherwise the file.</summary>
internal sealed record FragStep(FragAction Action, int Number, string Name, long SizeBytes)
{
    public override string ToString() => Action switch
    {
        FragAction.Create => $"create {Name} {SizeBytes}",
        FragAction.Delete => $"delete {Name}",
        _ => $"end of cycle {Number}",
    };
}
