namespace Sluice.Errors;

/// <summary>What an operation does to its file.</summary>
internal enum IoVerb : byte
{
    Read,
    Write,
    ReadVector,
    WriteVector,
    Append,
    Flush,
    FlushData,
    Nothing,
    SetLength,
    Allocate,
    PunchHole,
    GetExtents,
}
