namespace Sluice;

/// <summary>Provides options for a <see cref="SluiceLog"/> of an application's events, with defaults for lines of text.</summary>
/// <remarks>
/// The defaults that differ from those of <see cref="SluiceLogOptions"/> are: <see cref="SluiceLogOptions.Format"/> is
/// <see cref="LogFormat.Raw"/>, <see cref="SluiceLogOptions.Durability"/> is <see cref="LogDurability.Buffered"/>,
/// <see cref="SluiceLogOptions.DisposeOnProcessExit"/> is <see langword="true"/>, and <see cref="SluiceLogOptions.RetainSegments"/> is 31.
/// This type is not thread-safe.
/// </remarks>
public sealed class SluiceTextLogOptions : SluiceLogOptions
{
    /// <summary>Initializes a new instance of the <see cref="SluiceTextLogOptions"/> class.</summary>
    public SluiceTextLogOptions()
    {
        Format = LogFormat.Raw;
        Durability = LogDurability.Buffered;
        DisposeOnProcessExit = true;
        RetainSegments = 31;
    }
}
