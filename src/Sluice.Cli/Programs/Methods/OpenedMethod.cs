namespace Sluice.Cli.Programs.Methods;

/// <summary>A method ready to run: what is timed, and what was opened before and is closed after.</summary>
internal sealed record OpenedMethod(Func<MethodResult> Run, params IDisposable[] Owned) : IDisposable
{
    public void Dispose()
    {
        foreach (IDisposable resource in Owned)
            resource.Dispose();
    }
}
