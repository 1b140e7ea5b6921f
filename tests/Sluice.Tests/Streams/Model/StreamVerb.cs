namespace Sluice.Tests.Streams;

/// <summary>What one step of the differential test does; its form chooses among the overloads.</summary>
internal enum StreamVerb
{
    Read,
    Write,
    ReadByte,
    WriteByte,
    Seek,
    SetPosition,
    GetLength,
    SetLength,
    Flush,
    CopyTo,
    LockAndUnlock,
    GetHandle,
    GetProperties,
    Overlap,
    Cancelled,
    BadArgument,
    Dispose,
    Reopen,
}
