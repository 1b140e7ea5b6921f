namespace Sluice.Cli.Report;

/// <summary>Whether an environment that was read from a result has what each has.</summary>
internal static class EnvironmentCheck
{
    public static bool IsWhole(EnvironmentRecord? environment) => environment is
    {
        OperatingSystem: not null, Kernel: not null, Runtime: not null, RuntimeMode: not null, SluiceVersion: not null, Engine: not null,
        Processor: not null,
    };
}
