namespace Sluice.Hostile.Tests.Support;

/// <summary>What a caller's code throws.</summary>
public enum ThrownKind
{
    /// <summary>An exception that the library never throws.</summary>
    Ordinary,

    /// <summary>One that looks like the library's own, and may be taken for the end of something.</summary>
    FromIo,

    /// <summary>A cancellation by a token of which the library knows nothing.</summary>
    Cancelled,
}
