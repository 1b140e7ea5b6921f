namespace Sluice;

/// <summary>What is done with each part of a file that is scanned: called by several threads at once, each with another part.</summary>
/// <typeparam name="TResult">What comes of a part.</typeparam>
public delegate TResult ScanCallback<out TResult>(ScanPart part);
