using FsCheck;
using FsCheck.Fluent;
using Microsoft.FSharp.Core;

namespace Sluice.Tests.Streams;

/// <summary>Runs random cases over a list of configurations, the same ones for the same seed.</summary>
internal static class StreamModel
{
    private const int StepsPerCase = 40;

    /// <summary>Takes at least so many steps, spread evenly over the configurations.</summary>
    /// <returns>The steps taken, and the cases in which FileStream itself was wrong.</returns>
    /// <exception cref="Exception">The streams disagree: the message holds the seed and the shrunk case.</exception>
    public static (long Steps, int WrongByFileStream) Run(
        TempFolder folder, IReadOnlyList<StreamConfiguration> configurations, long steps, long seed, Action<long>? progress = null)
    {
        StreamTwins twins = new(folder);
        for (int i = 0; twins.Steps < steps; i = (i + 1) % configurations.Count)
        {
            // Splitting the seed by multiplication keeps the cases of neighbours apart.
            ulong caseSeed = unchecked(((ulong)seed * 0x9E37_79B9_7F4A_7C15) + ((ulong)twins.Steps * 1_000_003) + (ulong)i);
            Config config = Config.QuickThrowOnFailure
                .WithMaxTest(1)
                .WithQuietOnSuccess(true)
                .WithReplay(FSharpOption<Replay>.Some(new Replay(new Rnd(caseSeed, caseSeed | 1), FSharpOption<int>.Some(50))));
            Prop.ForAll(StreamCases.Of(configurations[i], StepsPerCase), twins.Run).Check(config);
            progress?.Invoke(twins.Steps);
        }

        return (twins.Steps, twins.WrongByFileStream);
    }
}
