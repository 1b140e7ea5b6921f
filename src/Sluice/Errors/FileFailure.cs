namespace Sluice;

/// <summary>Describes a path that an operation on several files could not process.</summary>
/// <param name="Path">The path, as the caller passed it or as the operation found it.</param>
/// <param name="Error">The exception that describes the failure.</param>
/// <remarks>This type is immutable and therefore thread-safe.</remarks>
public sealed record FileFailure(string Path, Exception Error);
