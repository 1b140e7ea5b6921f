using Sluice.Sequential;

namespace Sluice.Tests.Sequential;

public sealed class RequestTunerTests
{
    [Fact]
    public void It_grows_as_long_as_the_device_gets_faster()
    {
        RequestTuner tuner = new(overlapped: true, 0, 0);
        int smallest = tuner.SizeBytes * tuner.Depth;
        Run(tuner, (size, depth) => (double)size * depth);
        tuner.IsSettled.ShouldBeTrue();
        (tuner.SizeBytes * tuner.Depth / smallest).ShouldBe(32);
    }

    [Fact]
    public void It_goes_back_to_the_step_from_which_nothing_got_faster()
    {
        RequestTuner tuner = new(overlapped: true, 0, 0);
        int smallest = tuner.SizeBytes * tuner.Depth;
        Run(tuner, (size, depth) => Math.Min(size * depth, smallest * 4.0));
        tuner.IsSettled.ShouldBeTrue();
        (tuner.SizeBytes * tuner.Depth / smallest).ShouldBe(4);
    }

    [Fact]
    public void It_stays_small_where_the_caller_is_slower_than_the_device()
    {
        RequestTuner tuner = new(overlapped: true, 0, 0);
        int size = tuner.SizeBytes;
        Run(tuner, (_, _) => 1000, waited: false);
        tuner.SizeBytes.ShouldBe(size);
        tuner.Depth.ShouldBe(1);
    }

    [Fact]
    public void What_is_fixed_stays()
    {
        RequestTuner tuner = new(overlapped: true, 12_288, 7);
        Run(tuner, (size, depth) => (double)size * depth);
        tuner.SizeBytes.ShouldBe(12_288);
        tuner.Depth.ShouldBe(7);
    }

    private static void Run(RequestTuner tuner, Func<int, int, double> bytesPerTick, bool waited = true)
    {
        double now = 1;
        for (int i = 0; i < 2000; i++)
        {
            now += tuner.SizeBytes / bytesPerTick(tuner.SizeBytes, tuner.Depth) * 1000;
            tuner.OnBlock(tuner.SizeBytes, waited, (long)now);
        }
    }
}
