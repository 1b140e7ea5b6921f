namespace Sluice.Cli.Programs.Frag;

/// <summary>The sizes of the files and the order in which they are written.</summary>
internal enum FragProfile
{
    /// <summary>The profile of FragDisk: sizes are uniform between the smallest and the largest, one file after another.</summary>
    Uniform,

    /// <summary>Most files are small and a few are large, as on real volumes: sizes are log-normal, one file after another.</summary>
    LogNormal,

    /// <summary>Each file grows in up to 64 steps and is flushed after each, as logs are.</summary>
    Append,

    /// <summary>Eight files grow alternately, as downloads do.</summary>
    Interleaved,
}

internal static class FragProfileNames
{
    /// <summary>Returns the name of the profile on the command line.</summary>
    public static string ToName(this FragProfile profile) => profile switch
    {
        FragProfile.LogNormal => "log-normal",
        FragProfile.Append => "append",
        FragProfile.Interleaved => "interleaved",
        _ => "uniform",
    };
}
