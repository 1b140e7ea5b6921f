namespace Sluice.Cli.Bench.Logs;

/// <summary>What records are appended to, by many threads.</summary>
internal interface ILogSide : IDisposable
{
    /// <summary>Begins again with nothing.</summary>
    void Renew();

    void Append();

    /// <summary>Checks that exactly so many whole records are there. Nothing can be appended until the next <see cref="Renew"/>.</summary>
    /// <exception cref="IOException">There are fewer, or more.</exception>
    void Verify(long records);
}
