using System.Diagnostics;

namespace Sluice.Tests.Streams;

/// <summary>The long differential run, and one case again, in a process of their own.</summary>
internal static class StreamModelProgram
{
    private const long StepsPerReport = 100_000;

    /// <param name="configuration">"engine-caching", such as own-cached or pool-direct, for all modes, accesses and buffers; or all seven
    /// parts of one configuration, as a case's text begins.</param>
    public static int Run(string configuration, long seed, long steps, string folder)
    {
        using TempFolder temp = new(folder);
        IReadOnlyList<StreamConfiguration> configurations = Configurations(configuration);
        long begin = Stopwatch.GetTimestamp();
        long next = StepsPerReport;
        Console.WriteLine(
            $"{configuration}, {configurations.Count} configurations, engine {SluiceEngines.Default.Name}, seed {seed}, {steps} steps");
        try
        {
            (_, int wrong) = StreamModel.Run(temp, configurations, steps, seed, done =>
            {
                if (done >= next)
                {
                    next += StepsPerReport;
                    Console.WriteLine($"{done} steps right after {Stopwatch.GetElapsedTime(begin).TotalSeconds:F0} s");
                }
            });
            Console.WriteLine($"{wrong} cases in which FileStream gave bytes that are not in the file");
        }
        catch (Exception e)
        {
            Console.WriteLine(e.Message);
            return 1;
        }

        Console.WriteLine("all right");
        return 0;
    }

    /// <summary>One case, from its text.</summary>
    public static int RunCase(string text, string folder)
    {
        using TempFolder temp = new(folder);
        try
        {
            new StreamTwins(temp).Run(StreamCase.Parse(text));
        }
        catch (StreamMismatchException e)
        {
            Console.WriteLine(e.Message);
            return 1;
        }

        Console.WriteLine("all right");
        return 0;
    }

    private static IReadOnlyList<StreamConfiguration> Configurations(string text)
    {
        if (text.Contains(',', StringComparison.Ordinal))
        {
            return [StreamConfiguration.Parse(text)];
        }

        string[] parts = text.Split('-');
        return [.. StreamConfiguration.All(parts[0], Enum.Parse<FileCaching>(parts[1], ignoreCase: true))];
    }
}
