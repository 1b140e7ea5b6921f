namespace Sluice.Hostile.Tests.Support;

/// <summary>A progress that throws.</summary>
internal sealed class HostileProgress<T>(Countdown countdown) : IProgress<T>
{
    public void Report(T value) => countdown.Hit();
}
