using System.Diagnostics.CodeAnalysis;

namespace Sluice.Benchmarks;

/// <summary>What buffer a stream is asked for; FileStream has no adaptive one, so that its default of 4096 stands beside it.</summary>
[SuppressMessage("Design", "CA1027", Justification = "No flags.")]
public enum StreamBuffering { None, Fixed4096, Adaptive }
