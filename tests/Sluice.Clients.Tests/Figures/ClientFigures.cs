using System.Diagnostics;
using System.Globalization;
using System.Runtime.InteropServices;
using Sluice.Cli.Report;
using Sluice.Clients.Tests.Clients;
using Sluice.Clients.Tests.Support;

namespace Sluice.Clients.Tests.Figures;

/// <summary>
/// Measures the work of each library over a FileStream and over a SluiceStream of each caching mode, and writes a page of the results.
/// A round has four turns: FileStream, Sluice, Sluice, FileStream. Each turn has a folder of its own and repeats the work for about a
/// tenth of a second.
/// </summary>
internal static class ClientFigures
{
    private const double TurnSeconds = 0.1;
    private const string TurnText = "0.1";
    private static readonly FileCaching[] Cachings = [FileCaching.Cached, FileCaching.Uncached, FileCaching.Direct];

    /// <summary>FileStream's time to Sluice's, its 95 % interval, and the same for processor time: above 1 Sluice needs less.</summary>
    private readonly record struct Figure(double Ratio, (double Low, double High)? Interval, double Cpu);

    private readonly record struct Turn(double Seconds, double CpuSeconds);

    /// <param name="output">Where the page goes, a row at a time.</param>
    /// <param name="directory">A folder on the disk that is measured.</param>
    /// <param name="rounds">Of four turns each.</param>
    /// <param name="part">Only clients with this in their names; null for all.</param>
    public static async Task WriteAsync(TextWriter output, string directory, int rounds, string? part = null)
    {
        output.WriteLine(Preamble(Measured(directory, rounds)));
        foreach (Client client in ClientList.All.Where(c => part is null || c.Name.Contains(part, StringComparison.Ordinal)))
        {
            Figure[] figures = new Figure[Cachings.Length];
            for (int i = 0; i < Cachings.Length; i++)
            {
                figures[i] = await MeasureAsync(client, directory, Cachings[i], rounds);
            }

            string cached = Invariant($"{Text(figures[0])} | {figures[0].Cpu:0.00}");
            output.WriteLine($"| {client.Name} | {cached} | {Text(figures[1])} | {Text(figures[2])} | {Advice(figures)} |");
            output.Flush();
        }

        if (part is null)
        {
            output.Write(Notes());
        }
    }

    /// <summary>The text above the rows.</summary>
    /// <param name="measured">A paragraph that says when and where the figures were measured.</param>
    private static string Preamble(string measured) => $"""
        # The work of other libraries over FileStream and SluiceStream

        Made by `dotnet run -c Release --project tests/Sluice.Clients.Tests -- clients DIRECTORY --output FILE`, where DIRECTORY is a
        folder on the disk to be measured. A run takes about ten minutes; nothing else should run beside it.

        {measured}
        A round has four turns, FileStream, Sluice, Sluice, FileStream, of about {TurnText} s each. FileStream has its default buffer of
        4,096 bytes, Sluice the adaptive one; nothing is flushed to the disk. A figure is FileStream's time divided by Sluice's, above 1
        where Sluice is faster, with its 95 % interval; *CPU* is the same ratio of processor time.

        Uncached and direct streams are compared with the cached FileStream, since that is what a program comes from. They do more work:
        an uncached stream removes its pages from the page cache, and a direct stream waits for the device in each transfer. The advice
        names a caching mode whose whole interval lies below 0.9.

        | library and its work | cached | CPU | uncached | direct | advice |
        |---|---:|---:|---:|---:|---|
        """;

    /// <summary>The text below the rows.</summary>
    private static string Notes() =>
        "\n" + string.Concat(ClientList.All.Where(c => c.Note is not null).Select(c => $"- {c.Name}: {c.Note}\n"));

    /// <summary>The work of the clients with <paramref name="part"/> in their names, for strace(1): what it asks of the system.</summary>
    public static async Task WorkAsync(string directory, string part, FileCaching? caching, int times)
    {
        foreach (Client client in ClientList.All.Where(c => c.Name.Contains(part, StringComparison.Ordinal)))
        {
            await TurnAsync(client, directory, caching, times);
        }
    }

    private static async Task<Figure> MeasureAsync(Client client, string directory, FileCaching caching, int rounds)
    {
        string root = Directory.CreateDirectory(Path.Combine(directory, Path.GetRandomFileName())).FullName;
        try
        {
            int times = await TimesAsync(client, root, caching);
            List<double> ratios = [];
            List<double> cpus = [];
            for (int round = 0; round < rounds; round++)
            {
                Turn first = await TurnAsync(client, root, null, times);
                Turn second = await TurnAsync(client, root, caching, times);
                Turn third = await TurnAsync(client, root, caching, times);
                Turn fourth = await TurnAsync(client, root, null, times);
                ratios.Add((first.Seconds + fourth.Seconds) / (second.Seconds + third.Seconds));
                cpus.Add((first.CpuSeconds + fourth.CpuSeconds) / (second.CpuSeconds + third.CpuSeconds));
            }

            return new Figure(Statistics.Median(ratios), Statistics.MedianInterval(ratios), Statistics.Median(cpus));
        }
        finally
        {
            Directory.Delete(root, recursive: true);
        }
    }

    /// <summary>How often the work fits into a turn of FileStream's, after what is compiled at the first time.</summary>
    private static async Task<int> TimesAsync(Client client, string root, FileCaching caching)
    {
        await TurnAsync(client, root, caching, 3);
        await TurnAsync(client, root, null, 3);
        Turn turn = await TurnAsync(client, root, null, 3);
        return (int)Math.Clamp(Math.Ceiling(3 * TurnSeconds / turn.Seconds), 1, 1000);
    }

    private static async Task<Turn> TurnAsync(Client client, string root, FileCaching? caching, int times)
    {
        long began = Stopwatch.GetTimestamp();
        TimeSpan cpu = Environment.CpuUsage.TotalTime;
        for (int i = 0; i < times; i++)
        {
            using Workplace place = new(Path.Combine(root, $"{caching?.ToString() ?? "FileStream"}"), caching);
            await client.Work(place);
        }

        return new Turn(Stopwatch.GetElapsedTime(began).TotalSeconds, (Environment.CpuUsage.TotalTime - cpu).TotalSeconds);
    }

    private static string Measured(string directory, int rounds) => Invariant($"""
        Measured {DateTime.UtcNow:yyyy-MM-dd} on {Processor()}, {Environment.ProcessorCount} processors,
        {RuntimeInformation.OSDescription}, .NET {Environment.Version}, engine {Engine(directory)}; {rounds} rounds.
        """);

    private static string Text(Figure figure) => figure.Interval is var (low, high)
        ? Invariant($"{figure.Ratio:0.00} ({low:0.00}-{high:0.00})") : Invariant($"{figure.Ratio:0.00}");

    /// <summary>By the upper ends of the intervals, so that chance alone advises nothing.</summary>
    private static string Advice(Figure[] figures)
    {
        const double Slower = 0.9;
        List<string> advice = [];
        for (int i = 0; i < figures.Length; i++)
        {
            if ((figures[i].Interval?.High ?? figures[i].Ratio) < Slower)
            {
                advice.Add(Cachings[i].ToString().ToLowerInvariant());
            }
        }

        return advice switch
        {
            [] => "any",
            ["uncached", "direct"] => "cached",
            _ => "slower: " + string.Join(", ", advice),
        };
    }

    private static string Engine(string directory)
    {
        string path = Path.Combine(Directory.CreateDirectory(directory).FullName, Path.GetRandomFileName());
        using SluiceHandle handle = SluiceHandle.Open(path, new SluiceOptions
        {
            Mode = FileMode.CreateNew,
            Access = FileAccess.ReadWrite,
            Options = FileOptions.DeleteOnClose | FileOptions.Asynchronous,
        });
        return handle.EngineName;
    }

    private static string Processor() => !File.Exists("/proc/cpuinfo") ? RuntimeInformation.ProcessArchitecture.ToString()
        : File.ReadLines("/proc/cpuinfo").FirstOrDefault(l => l.StartsWith("model name", StringComparison.Ordinal))?.Split(':')[1].Trim()
            ?? RuntimeInformation.ProcessArchitecture.ToString();

    private static string Invariant(FormattableString text) => text.ToString(CultureInfo.InvariantCulture);
}
