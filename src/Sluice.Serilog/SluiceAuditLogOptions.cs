namespace Sluice.Serilog;

/// <summary>Provides options for a <see cref="SluiceLog"/> of audit events, with defaults for lines of text.</summary>
/// <remarks>
/// The defaults that differ from those of <see cref="SluiceLogOptions"/> are: <see cref="SluiceLogOptions.Format"/> is
/// <see cref="LogFormat.Raw"/>, <see cref="SluiceLogOptions.Durability"/> is <see cref="LogDurability.Durable"/>, and
/// <see cref="SluiceLogOptions.DisposeOnProcessExit"/> is <see langword="true"/>. All files are kept. This type is not
/// thread-safe.
/// </remarks>
public sealed class SluiceAuditLogOptions : SluiceLogOptions
{
    /// <summary>Initializes a new instance of the <see cref="SluiceAuditLogOptions"/> class.</summary>
    public SluiceAuditLogOptions()
    {
        Format = LogFormat.Raw;
        Durability = LogDurability.Durable;
        DisposeOnProcessExit = true;
    }
}
