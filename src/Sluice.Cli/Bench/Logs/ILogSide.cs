namespace Sluice.Cli.Bench.Logs;

/// <summary>What records are appended to, by many threads.</summary>
internal interface ILogSide : IDisposable
{
    /// <summary>Begins again with nothing.</summary>
    void Renew();

    void Append();
}
