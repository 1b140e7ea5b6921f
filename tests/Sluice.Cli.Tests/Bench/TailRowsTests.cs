using Microsoft.Win32.SafeHandles;
using Shouldly;
using Sluice.Cli.Bench;
using Sluice.Cli.Bench.Handles;
using Sluice.Cli.Load;
using Xunit;

namespace Sluice.Cli.Tests.Bench;

public sealed class TailRowsTests
{
    [Fact]
    public async Task A_device_that_fails_ends_the_row_and_holds_nobody_up()
    {
        using var target = new FailingTarget();
        var slice = new Slice(TimeSpan.FromMinutes(10), 4, CancellationToken.None);
        slice.Start();
        Task reading = TailRows.OpenAsync(target, slice, Loops.Buffers(4, 512), new RandomOffsets([0, 512], 1), iops: 100_000, percent: 99);
        // Not how fast, but whether at all.
        IOException error = await Should.ThrowAsync<IOException>(() => reading.WaitAsync(TimeSpan.FromMinutes(2)));
        error.Message.ShouldBe("the device failed");
    }

    private sealed class FailingTarget : IoTarget
    {
        public override string Side => "failing";

        public override string Engine => "none";

        public override FileCaching Caching => FileCaching.Direct;

        public override string? CachingReason => null;

        public override int RequestAlignmentBytes => 1;

        public override SafeFileHandle SafeFileHandle => throw new NotSupportedException();

        public override int Read(Memory<byte> buffer, long fileOffset) => throw new NotSupportedException();

        public override async ValueTask<int> ReadAsync(Memory<byte> buffer, long fileOffset)
        {
            await Task.Yield();
            throw new IOException("the device failed");
        }

        public override void Write(ReadOnlyMemory<byte> buffer, long fileOffset) => throw new NotSupportedException();

        public override ValueTask WriteAsync(ReadOnlyMemory<byte> buffer, long fileOffset) => throw new NotSupportedException();

        public override void Flush() => throw new NotSupportedException();

        public override void Dispose()
        {
        }
    }
}
