namespace Sluice.AotSmoke;

/// <summary>A wrong byte, length or exception.</summary>
internal sealed class SmokeFailureException(string message) : Exception(message);
