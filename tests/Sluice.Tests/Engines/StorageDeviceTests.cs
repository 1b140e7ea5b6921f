using System.Diagnostics;
using Sluice.Engines;

namespace Sluice.Tests.Engines;

/// <summary>Which asynchronous writes are made on their callers' threads.</summary>
public sealed class StorageDeviceTests
{
    private static readonly TimeSpan Patience = TimeSpan.FromMinutes(1);

    [Fact]
    public void One_caller_at_a_time_writes()
    {
        StorageDevice device = new();
        device.TryBeginWrite(out _).ShouldBeTrue();
        device.TryBeginWrite(out _).ShouldBeFalse();
        device.EndWrite(wasSlow: false);
        device.TryBeginWrite(out _).ShouldBeTrue();
    }

    [Fact]
    public void After_a_slow_write_callers_do_not_write_until_a_write_was_fast()
    {
        StorageDevice device = new();
        device.TryBeginWrite(out _).ShouldBeTrue();
        device.EndWrite(wasSlow: true);
        device.TryBeginWrite(out _).ShouldBeFalse();
        _ = device.BeginBlockingWrite();
        device.EndBlockingWrite(wasSlow: true);
        device.TryBeginWrite(out _).ShouldBeFalse();
        _ = device.BeginBlockingWrite();
        device.EndBlockingWrite(wasSlow: false);
        device.TryBeginWrite(out _).ShouldBeTrue();
    }

    [Fact]
    public void Callers_do_not_write_while_another_thread_waits_for_the_device()
    {
        StorageDevice device = new();
        _ = device.BeginBlockingWrite();
        SpinWait.SpinUntil(() => !CanWrite(device), Patience).ShouldBeTrue();
        _ = device.BeginBlockingWrite();
        CanWrite(device).ShouldBeFalse("a write that begins now does not end the other");
        device.EndBlockingWrite(wasSlow: false);
        device.EndBlockingWrite(wasSlow: false);
        CanWrite(device).ShouldBeTrue();
    }

    [Fact]
    public void A_long_write_may_take_longer()
    {
        long begin = Stopwatch.GetTimestamp() - Stopwatch.Frequency;
        StorageDevice.IsSlow(begin, 4096).ShouldBeTrue();
        StorageDevice.IsSlow(Stopwatch.GetTimestamp() + (3600 * Stopwatch.Frequency), 4096).ShouldBeFalse();
        StorageDevice.IsSlow(Stopwatch.GetTimestamp(), int.MaxValue).ShouldBeFalse();
    }

    private static bool CanWrite(StorageDevice device)
    {
        bool can = device.TryBeginWrite(out _);
        if (can)
        {
            device.EndWrite(wasSlow: false);
        }

        return can;
    }
}
