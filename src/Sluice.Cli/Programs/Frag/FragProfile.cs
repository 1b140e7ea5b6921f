namespace Sluice.Cli.Programs.Frag;

/// <summary>What the files are like, and how they come to be written.</summary>
internal enum FragProfile
{
    /// <summary>FragDisk's: sizes uniform between smallest and largest, one file after the other.</summary>
    Uniform,

    /// <summary>Most files small and a few large, as volumes really have them: sizes log-normal, one file after the other.</summary>
    LogNormal,

    /// <summary>Each file grows in 64 small steps, on the disk after each, as logs do.</summary>
    Append,

    /// <summary>Eight files grow at the same time, step by step in turns, as downloads do.</summary>
    Interleaved,
}

internal static class FragProfileNames
{
    /// <summary>As it is typed and shown.</summary>
    public static string ToName(this FragProfile profile) => profile switch
    {
        FragProfile.LogNormal => "log-normal",
        FragProfile.Append => "append",
        FragProfile.Interleaved => "interleaved",
        _ => "uniform",
    };
}
