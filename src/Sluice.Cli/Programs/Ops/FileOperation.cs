namespace Sluice.Cli.Programs.Ops;

/// <summary>What is timed, in the order in which it runs: each reads what the ones before wrote.</summary>
internal enum FileOperation { WriteChunk, WriteByte, ReadChunk, ReadByte, Seek, OpenClose }
