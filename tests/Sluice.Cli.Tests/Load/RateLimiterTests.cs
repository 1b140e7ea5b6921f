using System.Diagnostics;
using Shouldly;
using Sluice.Cli.Load;
using Xunit;

namespace Sluice.Cli.Tests.Load;

public sealed class RateLimiterTests
{
    private static readonly long Second = Stopwatch.Frequency;

    [Fact]
    public void Operations_are_due_at_even_distances()
    {
        long now = 1000;
        using var limiter = new RateLimiter(4, () => now += 10, ms => now += ms * (Second / 1000));
        limiter.Start();
        long start = now;
        long[] due = [.. Enumerable.Range(0, 5).Select(_ => limiter.Wait(long.MaxValue, CancellationToken.None)!.Value - start)];
        due.ShouldBe([0, Second / 4, Second / 2, Second * 3 / 4, Second]);
    }

    [Fact]
    public void A_stall_does_not_move_the_schedule()
    {
        long now = 0;
        using var limiter = new RateLimiter(10, () => now);
        limiter.Start();
        limiter.Wait(long.MaxValue, CancellationToken.None).ShouldBe(0);
        // The device stalls for a second: the nine operations that were due meanwhile keep their times, so their wait counts.
        now = Second;
        for (int i = 1; i <= 10; i++)
            limiter.Wait(long.MaxValue, CancellationToken.None).ShouldBe(i * (Second / 10));
    }

    [Fact]
    public void Nothing_is_issued_that_is_due_after_the_deadline()
    {
        long now = 0;
        using var limiter = new RateLimiter(2, () => now);
        limiter.Start();
        limiter.Wait(Second / 4, CancellationToken.None).ShouldBe(0);
        limiter.Wait(Second / 4, CancellationToken.None).ShouldBeNull();
    }

    [Fact]
    public async Task Callers_that_wait_at_once_get_one_turn_each()
    {
        long now = 0;
        using var limiter = new RateLimiter(
            1000, () => Interlocked.Add(ref now, Second / 10_000), ms => Interlocked.Add(ref now, ms * (Second / 1000)));
        limiter.Start();
        long?[] due = await Task.WhenAll(Enumerable.Range(0, 50).Select(_ =>
            Task.Run(async () => await limiter.WaitAsync(long.MaxValue, CancellationToken.None))));
        due.Distinct().Count().ShouldBe(50);
    }

    [Fact]
    public void Waiting_ends_when_cancelled()
    {
        using var limiter = new RateLimiter(0.001, () => 0);
        limiter.Start();
        limiter.Wait(long.MaxValue, CancellationToken.None).ShouldBe(0);
        using var cancellation = new CancellationTokenSource();
        cancellation.Cancel();
        Should.Throw<OperationCanceledException>(() => limiter.Wait(long.MaxValue, cancellation.Token));
    }
}
