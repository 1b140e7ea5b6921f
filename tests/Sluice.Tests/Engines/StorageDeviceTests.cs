using System.Diagnostics;
using Sluice.Engines;

namespace Sluice.Tests.Engines;

/// <summary>Which asynchronous writes are made on their callers' threads.</summary>
public sealed class StorageDeviceTests
{
    private static readonly long Second = Stopwatch.Frequency;

    [Fact]
    public void One_caller_at_a_time_writes_to_a_device_that_has_not_answered_lately()
    {
        StorageDevice device = new();
        device.TryBeginWrite(Second).ShouldBeTrue();
        device.TryBeginWrite(Second).ShouldBeFalse();
        device.AbandonWrite();
        device.TryBeginWrite(Second).ShouldBeTrue();
        device.TryBeginWrite(Second).ShouldBeFalse();
    }

    [Fact]
    public void Several_callers_write_while_the_device_answers()
    {
        StorageDevice device = new();
        device.TryBeginWrite(Second).ShouldBeTrue();
        device.EndWrite(Second, wasSlow: false);
        device.TryBeginWrite(Second).ShouldBeTrue();
        device.TryBeginWrite(Second).ShouldBeTrue();
        device.TryBeginWrite(Second + (Second / 500)).ShouldBeFalse("it has not answered for 2 ms");
        device.EndWrite(Second * 2, wasSlow: false);
        device.TryBeginWrite(Second * 2).ShouldBeTrue();
    }

    [Fact]
    public void After_two_slow_writes_callers_do_not_write_until_a_write_was_fast()
    {
        StorageDevice device = new();
        device.TryBeginWrite(Second).ShouldBeTrue();
        device.EndWrite(Second, wasSlow: true);
        device.TryBeginWrite(Second).ShouldBeTrue();
        device.EndWrite(Second, wasSlow: true);
        device.TryBeginWrite(Second).ShouldBeFalse();
        device.BeginBlockingWrite();
        device.EndBlockingWrite(Second, wasSlow: true);
        device.TryBeginWrite(Second).ShouldBeFalse();
        device.BeginBlockingWrite();
        device.EndBlockingWrite(Second, wasSlow: false);
        device.TryBeginWrite(Second).ShouldBeTrue();
    }

    [Fact]
    public void Callers_do_not_write_while_another_thread_waits_for_the_device()
    {
        StorageDevice device = new();
        device.BeginBlockingWrite();
        device.BeginBlockingWrite();
        device.TryBeginWrite(Second).ShouldBeFalse();
        device.EndBlockingWrite(Second, wasSlow: false);
        device.TryBeginWrite(Second * 2).ShouldBeFalse();
        device.EndBlockingWrite(Second, wasSlow: false);
        device.TryBeginWrite(Second * 2).ShouldBeTrue();
    }

    [Fact]
    public void A_long_write_may_take_longer()
    {
        StorageDevice.IsSlow(Second, 4096).ShouldBeTrue();
        StorageDevice.IsSlow(0, 4096).ShouldBeFalse();
        StorageDevice.IsSlow(Second, int.MaxValue).ShouldBeFalse();
    }
}
