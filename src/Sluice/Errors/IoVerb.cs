namespace Sluice.Errors;

/// <summary>The kind of an I/O operation.</summary>
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
