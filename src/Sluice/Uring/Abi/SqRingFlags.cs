namespace Sluice.Uring.Abi;

/// <summary>IORING_SQ_*: written by the kernel into the submission ring's flags word.</summary>
[Flags]
internal enum SqRingFlags : uint
{
    None = 0,
    CqOverflow = 1u << 1,
    TaskRun = 1u << 2,
}
