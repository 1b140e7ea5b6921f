using System.Globalization;
using Sluice.Cli.Commands;
using Sluice.Cli.Programs.Measuring;

namespace Sluice.Cli.Programs.Advise;

/// <summary>The ways of a subject, measured, and which of them to take.</summary>
internal sealed class Comparison
{
    // Differences below are this disk's mood.
    private const double Close = 0.9;
    private const double Same = 0.05;
    private const double Unsteady = 1.5;

    private readonly Dictionary<string, (Way Way, Reading Reading)> _byKey = new(StringComparer.Ordinal);
    private readonly double? _clockHz;

    /// <param name="readings">In the order of the ways; bytes or operations a second.</param>
    public Comparison(Subject subject, IReadOnlyList<Way> ways, IReadOnlyList<Reading> readings, double? clockHz)
    {
        Subject = subject;
        _clockHz = clockHz;
        Measured = [.. ways.Zip(readings, (w, r) => (w, r))];
        foreach ((Way way, Reading reading) in Measured)
            _byKey.Add(way.Key, (way, reading));
        (Way Way, Reading Reading)[] choices = [.. Measured.Where(m => !m.Way.DoesMore)];
        Fastest = choices.MaxBy(m => m.Reading.Rate);
        // Among those that are about as fast, the one that leaves most of the processor.
        Best = choices.Where(m => m.Reading.Rate >= Close * Fastest.Reading.Rate).MinBy(m => m.Reading.CpuNs);
        Baseline = _byKey[subject.BaselineKey];
    }

    public Subject Subject { get; }

    public IReadOnlyList<(Way Way, Reading Reading)> Measured { get; }

    public (Way Way, Reading Reading) Fastest { get; }

    public (Way Way, Reading Reading) Best { get; }

    public (Way Way, Reading Reading) Baseline { get; }

    public string CpuUnit => Subject.CountsBytes ? (_clockHz is null ? "ns/byte" : "clocks/byte") : "us each";

    public Reading this[string key] => _byKey[key].Reading;

    public double RateOf(Reading reading) => Subject.CountsBytes ? reading.Rate / ByteSize.MiB : reading.Rate;

    public double CpuOf(Reading reading) =>
        !Subject.CountsBytes ? reading.CpuNs / 1000 : _clockHz is { } hz ? reading.CpuNs * hz / 1e9 : reading.CpuNs;

    public string Describe(Reading reading) => string.Create(CultureInfo.InvariantCulture,
        $"{Round(RateOf(reading))} {Subject.Unit}, {Round(CpuOf(reading))} {CpuUnit}");

    /// <summary>How fast the first is, to be followed by the second's name: "as fast as", "1.40 x as fast as".</summary>
    public string Compare(string key, string toKey)
    {
        double ratio = this[key].Rate / this[toKey].Rate;
        return Math.Abs(ratio - 1) <= Same ? "as fast as" : string.Create(CultureInfo.InvariantCulture, $"{ratio:0.00} x as fast as");
    }

    /// <summary>The processor time of the first to that of the second.</summary>
    public string CompareCpu(string key, string toKey) =>
        string.Create(CultureInfo.InvariantCulture, $"{this[key].CpuNs / Math.Max(this[toKey].CpuNs, 1e-9):0.00} x the CPU");

    public IEnumerable<string> Sentences()
    {
        (Way best, Reading reading) = Best;
        yield return $"Take {best.Name}: {Describe(reading)}.";
        if (best.Key != Baseline.Way.Key)
            yield return $"{Baseline.Way.Name} gives {Describe(Baseline.Reading)}: this is {Compare(best.Key, Baseline.Way.Key)} that, for {CompareCpu(best.Key, Baseline.Way.Key)}.";
        if (best.Key != Baseline.Way.Key && Baseline.Reading.High >= reading.Low)
            yield return "The rounds of both overlap: that may be chance.";
        if (reading.High > Unsteady * reading.Low)
        {
            yield return $"Its rounds lay between {Round(RateOf(reading with { Rate = reading.Low }))} and {Round(RateOf(reading with { Rate = reading.High }))} "
                + $"{Subject.Unit}: the machine was not steady, so ask again.";
        }
        if (Fastest.Way.Key != best.Key)
            yield return $"{Fastest.Way.Name} is a little faster ({Describe(Fastest.Reading)}), for {CompareCpu(Fastest.Way.Key, best.Key)}.";
        if (best.IsDotNet)
            yield return "Sluice gains nothing here.";
        foreach (string remark in Subject.Remarks(this))
            yield return remark;
    }

    public static string Round(double number) => number.ToString(
        Math.Abs(number) switch { >= 1000 => "#,0", >= 100 => "0", >= 10 => "0.0", _ => "0.00" }, CultureInfo.InvariantCulture);
}
