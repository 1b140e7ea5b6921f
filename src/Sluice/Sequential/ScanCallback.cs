namespace Sluice;

/// <summary>Represents the method that processes one part of a file for <see cref="SluiceReader.ScanAsync"/>.</summary>
/// <typeparam name="TResult">The type of the result.</typeparam>
/// <param name="part">The part to process. It is valid until the method returns.</param>
/// <returns>The result for the part.</returns>
/// <remarks>
/// Several threads invoke the method at the same time, each with a different part. The method must be thread-safe.
/// </remarks>
public delegate TResult ScanCallback<out TResult>(ScanPart part);
