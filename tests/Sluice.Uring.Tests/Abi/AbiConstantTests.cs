using Shouldly;
using Sluice.Uring.Abi;
using Xunit;

namespace Sluice.Uring.Tests.Abi;

/// <summary>The kernel's numbers, written out from linux/io_uring.h, linux/fs.h and linux/falloc.h.</summary>
public sealed class AbiConstantTests
{
    public static TheoryData<Enum, long> Values => new()
    {
        { Opcode.Nop, 0 },
        { Opcode.ReadV, 1 },
        { Opcode.WriteV, 2 },
        { Opcode.Fsync, 3 },
        { Opcode.OpenAt, 18 },
        { Opcode.Close, 19 },
        { Opcode.Read, 22 },
        { Opcode.Write, 23 },
        { SetupFlags.CqSize, 8 },
        { SetupFlags.Clamp, 16 },
        { SetupFlags.SubmitAll, 128 },
        { SetupFlags.CoopTaskrun, 256 },
        { SetupFlags.SingleIssuer, 4096 },
        { SetupFlags.DeferTaskrun, 8192 },
        { EnterFlags.GetEvents, 1 },
        { EnterFlags.ExtArg, 8 },
        { FeatureFlags.SingleMmap, 1 },
        { FeatureFlags.NoDrop, 2 },
        { FeatureFlags.SubmitStable, 4 },
        { FeatureFlags.ExtArg, 256 },
        { RegisterOp.Buffers, 0 },
        { RegisterOp.UnregisterBuffers, 1 },
        { RegisterOp.Probe, 8 },
        { RegisterOp.IowqMaxWorkers, 19 },
        { RegisterOp.SyncCancel, 24 },
        { SqRingFlags.CqOverflow, 2 },
        { SqRingFlags.TaskRun, 4 },
        { SqeFlags.Link, 4 },
        { SqeFlags.HardLink, 8 },
        { SqeFlags.Async, 16 },
        { FsyncFlags.DataSync, 1 },
        { AsyncCancelFlags.All, 1 },
        { AsyncCancelFlags.Any, 4 },
        { FallocateFlags.KeepSize, 1 },
        { FallocateFlags.PunchHole, 2 },
        { RwFlags.NoWait, 8 },
        { RwFlags.Append, 16 },
        { RwFlags.Atomic, 64 },
        { RwFlags.DontCache, 128 },
        { StatxMask.Size, 0x200 },
        { StatxMask.BasicStats, 0x7ff },
        { StatxMask.DioAlign, 0x2000 },
        { StatxMask.WriteAtomic, 0x10000 },
    };

    [Theory]
    [MemberData(nameof(Values))]
    public void Constant_has_the_value_of_the_kernel_header(Enum constant, long value) => Convert.ToInt64(constant).ShouldBe(value);
}
