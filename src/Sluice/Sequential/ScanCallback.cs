namespace Sluice;

/// <summary>Represents the method that processes one part of a file for <see cref="SluiceReader.ScanAsync"/>.</summary>
/// <typeparam name="TResult">The type of the result.</typeparam>
/// <param name="part">The part to process. It is valid until the method returns.</param>
/// <returns>The result for the part.</returns>
/// <remarks>The method must be thread-safe, because several threads call it at the same time, each with a different part.</remarks>
public delegate TResult ScanCallback<out TResult>(ScanPart part);
