namespace Sluice.Cli.Programs.Frag;

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
