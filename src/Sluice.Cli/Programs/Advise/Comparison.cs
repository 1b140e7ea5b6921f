using System.Globalization;
using Sluice.Cli.Bench;

namespace Sluice.Cli.Programs.Advise;

/// <summary>One way, and what it reached in the topic's unit.</summary>
internal sealed record MeasuredApproach(Approach Approach, ContenderReport Reading);

/// <summary>The ways of a topic, measured, and which of them to take.</summary>
internal sealed class Comparison
{
    // A smaller difference is within the variation of the disk.
    private const double Close = 0.9;
    private const double Same = 0.05;
    private const double Unsteady = 1.5;

    private readonly Dictionary<string, MeasuredApproach> _byKey = new(StringComparer.Ordinal);
    private readonly double? _clockHz;

    /// <param name="readings">In the order of the ways; in the topic's unit.</param>
    public Comparison(AdviceTopic topic, IReadOnlyList<Approach> approaches, IReadOnlyList<ContenderReport> readings, double? clockHz)
    {
        Topic = topic;
        _clockHz = clockHz;
        Measured = [.. approaches.Zip(readings, (w, r) => new MeasuredApproach(w, r))];
        foreach (MeasuredApproach measured in Measured)
            _byKey.Add(measured.Approach.Key, measured);
        MeasuredApproach[] choices = [.. Measured.Where(m => !m.Approach.DoesMore)];
        Fastest = choices.MaxBy(m => m.Reading.Rate)!;
        // Among those that are about as fast, the one that leaves most of the processor.
        Best = choices.Where(m => m.Reading.Rate >= Close * Fastest.Reading.Rate).MinBy(m => m.Reading.CpuUsPerOperation)!;
        Baseline = _byKey[topic.BaselineKey];
    }

    public AdviceTopic Topic { get; }

    public IReadOnlyList<MeasuredApproach> Measured { get; }

    public MeasuredApproach Fastest { get; }

    public MeasuredApproach Best { get; }

    public MeasuredApproach Baseline { get; }

    /// <summary>The reason why the direct approaches were not measured; null if they were.</summary>
    public string? LeftOut { get; init; }

    public string CpuUnit => Topic.CountsBytes ? (_clockHz is null ? "ns/byte" : "clocks/byte") : "us each";

    public ContenderReport this[string key] => _byKey[key].Reading;

    public bool Has(string key) => _byKey.ContainsKey(key);

    public double CpuOf(ContenderReport reading) =>
        !Topic.CountsBytes ? reading.CpuUsPerOperation : _clockHz is { } hz ? reading.CpuUsPerOperation * hz / 1e6 : reading.CpuUsPerOperation * 1000;

    public string Describe(ContenderReport reading) => string.Create(CultureInfo.InvariantCulture,
        $"{Round(reading.Rate)} {Topic.Unit}, {Round(CpuOf(reading))} {CpuUnit}");

    /// <summary>
    /// The speed of the first approach, followed in the text by the second one's name: "as fast as", "1.40 x as fast as".
    /// </summary>
    public string Compare(string key, string toKey)
    {
        double ratio = this[key].Rate / this[toKey].Rate;
        return Math.Abs(ratio - 1) <= Same ? "as fast as" : string.Create(CultureInfo.InvariantCulture, $"{ratio:0.00} x as fast as");
    }

    /// <summary>The ratio of the processor times of two approaches.</summary>
    public string CompareCpu(string key, string toKey) =>
        string.Create(CultureInfo.InvariantCulture, $"{this[key].CpuUsPerOperation / Math.Max(this[toKey].CpuUsPerOperation, 1e-12):0.00} x the CPU");

    public IEnumerable<string> Sentences()
    {
        (Approach best, ContenderReport reading) = Best;
        yield return $"Take {best.Name}: {Describe(reading)}.";
        if (best.Key != Baseline.Approach.Key)
            yield return $"{Baseline.Approach.Name} gives {Describe(Baseline.Reading)}: this is {Compare(best.Key, Baseline.Approach.Key)} "
                + $"that, for {CompareCpu(best.Key, Baseline.Approach.Key)}.";
        if (best.Key != Baseline.Approach.Key && Baseline.Reading.High >= reading.Low)
            yield return "The rounds of both overlap: that may be chance.";
        if (reading.High > Unsteady * reading.Low)
        {
            yield return $"Its rounds lay between {Round(reading.Low)} and {Round(reading.High)} {Topic.Unit}: the machine was not steady, "
                + "so ask again.";
        }
        if (Fastest.Approach.Key != best.Key)
            yield return $"{Fastest.Approach.Name} is a little faster ({Describe(Fastest.Reading)}), for "
                + $"{CompareCpu(Fastest.Approach.Key, best.Key)}.";
        if (best.IsDotNet)
            yield return "Sluice gains nothing here.";
        if (LeftOut is not null)
            yield return $"The direct ways are left out: {LeftOut}.";
        foreach (string remark in Topic.Remarks(this))
            yield return remark;
    }

    public static string Round(double number) => number.ToString(
        Math.Abs(number) switch { >= 1000 => "#,0", >= 100 => "0", >= 10 => "0.0", _ => "0.00" }, CultureInfo.InvariantCulture);
}
