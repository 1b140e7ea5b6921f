namespace Sluice.Tests.Sequential;

/// <summary>Keeps what it is told, on the thread that tells it.</summary>
internal sealed class ListProgress(List<long> reported) : IProgress<long>
{
    public void Report(long value) => reported.Add(value);
}
