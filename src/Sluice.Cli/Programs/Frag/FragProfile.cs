namespace Sluice.Cli.Programs.Frag;

/// <summary>The sizes of the files and the order in which they are written.</summary>
internal enum FragProfile
{
    /// <summary>FragDisk's: sizes uniform between smallest and largest, one file after the other.</summary>
    Uniform,

    /// <summary>Most files are small and a few are large, as on real volumes: sizes are log-normal, one file after the other.</summary>
    LogNormal,

    /// <summary>Each file grows in 64 small steps and is flushed after each, as logs are.</summary>
    Append,

    /// <summary>Eight files grow in turns, as downloads do.</summary>
    Interleaved,
}

internal static class FragProfileNames
{
    /// <summary>The name on the command line.</summary>
    public static string ToName(this FragProfile profile) => profile switch
    {
        FragProfile.LogNormal => "log-normal",
        FragProfile.Append => "append",
        FragProfile.Interleaved => "interleaved",
        _ => "uniform",
    };
}
