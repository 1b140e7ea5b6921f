namespace Sluice.Cli.Bench;

/// <summary>
/// Loops for a turn of latencies of calls so short that their rows look at no clock: of a call of a few nanoseconds the figures hold the
/// clock's own reading, on both sides alike, and what they show is the calls that take longer.
/// </summary>
internal static class TimedCalls
{
    // Looking whether the slice is over is another reading of the clock.
    private const int Burst = 256;

    /// <param name="open">
    /// Opens what is called: the call, which returns false where it has come to its end and is opened anew, and what to close then.
    /// </param>
    public static Func<Slice, Task> Of(Func<(Func<bool> Call, IDisposable? Owned)> open) => slice =>
    {
        do
        {
            (Func<bool> call, IDisposable? owned) = open();
            using (owned)
            {
                while (RunBurst(slice, call) && !slice.IsOver)
                {
                }
            }
        }
        while (!slice.IsOver);
        return Task.CompletedTask;
    };

    /// <inheritdoc cref="Of"/>
    public static Func<Slice, Task> OfAsync(Func<(Func<ValueTask<bool>> CallAsync, IDisposable? Owned)> open) => async slice =>
    {
        do
        {
            (Func<ValueTask<bool>> callAsync, IDisposable? owned) = open();
            using (owned)
            {
                bool goesOn = true;
                do
                {
                    for (int i = 0; i < Burst && goesOn; i++)
                    {
                        long began = slice.Begin();
                        goesOn = await callAsync();
                        slice.End(began);
                        slice.Count(0);
                    }
                }
                while (goesOn && !slice.IsOver);
            }
        }
        while (!slice.IsOver);
    };

    private static bool RunBurst(Slice slice, Func<bool> call)
    {
        bool goesOn = true;
        for (int i = 0; i < Burst && goesOn; i++)
        {
            long began = slice.Begin();
            goesOn = call();
            slice.End(began);
            slice.Count(0);
        }
        return goesOn;
    }
}
