namespace Sluice.Tests.Streams;

/// <summary>The two streams disagree.</summary>
internal sealed class StreamMismatchException(string message) : Exception(message);
