namespace Sluice.Tests.Support;

/// <summary>Does something whenever a copy tells how far it is, on its thread.</summary>
internal sealed class Telling(Action<CopyProgress> told) : IProgress<CopyProgress>
{
    public void Report(CopyProgress value) => told(value);
}
