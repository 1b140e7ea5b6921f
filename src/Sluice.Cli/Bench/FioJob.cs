namespace Sluice.Cli.Bench;

/// <summary>The same load as fio runs it: io_uring, direct, on the row's own file.</summary>
internal sealed record FioJob(string ReadWrite, int RequestSizeBytes, int Depth);
