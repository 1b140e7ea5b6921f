using System.Diagnostics;
using Sluice.Cli.Bench;

namespace Sluice.Cli.Programs.Methods;

/// <summary>Measures methods on files of one size. After the measured time, each result is compared with the text.</summary>
internal sealed class MethodRun : IDisposable
{
    // A run over a small file is short, so a round has several runs.
    private const int BytesPerRound = 10 << 20;
    private const int MaxRunsPerRound = 15;

    private readonly MethodInput _reading;
    private readonly MethodInput _writing;
    private readonly string _folder;
    private readonly CancellationToken _cancellationToken;

    /// <param name="folder">The folder for the file that is read and the one that is written.</param>
    public MethodRun(string folder, int sizeBytes, CancellationToken cancellationToken)
    {
        var sample = new TextSample(sizeBytes);
        _folder = folder;
        _reading = new MethodInput(Path.Combine(folder, "read.txt"), sample, cancellationToken);
        _writing = new MethodInput(Path.Combine(folder, "write.txt"), sample, cancellationToken);
        _cancellationToken = cancellationToken;
        Runs = Math.Clamp(BytesPerRound / sizeBytes, 1, MaxRunsPerRound);
        using var file = new FileStream(_reading.Path, FileMode.Create, FileAccess.Write, FileShare.None, bufferSize: 0);
        file.Write(sample.Content);
        // The flush keeps direct reads from waiting for the writeback of the file.
        file.Flush(flushToDisk: true);
    }

    /// <summary>The number of times that a method runs in one slice.</summary>
    public int Runs { get; init; }

    /// <summary>The methods with a wrong result, with a description of the difference.</summary>
    public Dictionary<Method, string> Wrong { get; } = [];

    public Contender ContenderOf(Method method)
    {
        MethodInput input = method.Writes ? _writing : _reading;
        return new Contender(method.Name, Loops.Runs(Runs, Run, _cancellationToken))
        {
            MeasuresAllocations = true,
            Prepare = () =>
            {
                if (!method.Writes)
                    return;
                File.Delete(input.Path);
                Settling.FileSystemOf(_folder);
            },
        };

        long Run()
        {
            Forget(method, input);
            Settling.Memory();
            return Measure(method, input);
        }
    }

    public void Dispose()
    {
        File.Delete(_reading.Path);
        File.Delete(_writing.Path);
    }

    /// <summary>Clears the arrays, so that the data of an earlier method is not taken for that of the next one.</summary>
    private static void Forget(Method method, MethodInput input)
    {
        if (method.Writes)
            File.Delete(input.Path);
        else if (method.Kind == ResultKind.Bytes)
            Array.Clear(input.Bytes);
        else if (method.Kind == ResultKind.Text)
            Array.Clear(input.Chars);
    }

    private long Measure(Method method, MethodInput input)
    {
        long ticks;
        object? result;
        using (input.Opened = method.Open?.Invoke(input))
        {
            long start = Stopwatch.GetTimestamp();
            result = method.Run(input);
            ticks = Stopwatch.GetTimestamp() - start;
        }
        if (DifferenceOf(method, method.Writes ? File.ReadAllBytes(input.Path) : result, input) is { } difference)
            Wrong.TryAdd(method, difference);
        return ticks;
    }

    private static string? DifferenceOf(Method method, object? result, MethodInput input) => result switch
    {
        int count when method.Kind == ResultKind.Bytes => Compare(input.Bytes.AsSpan(0, count), input.Sample.Content, "bytes"),
        int count => Compare(input.Chars.AsSpan(0, count), input.Sample.Chars, "characters"),
        byte[] bytes => Compare(bytes, input.Sample.Content, "bytes"),
        string text => Compare(text, input.Sample.Chars, "characters"),
        IEnumerable<string> lines => TextSample.SumOf(lines).Difference(input.Sample.LineSum),
        Checksum sum => sum.Difference(input.Sample.LineSum),
        _ => "nothing",
    };

    private static string? Compare<T>(ReadOnlySpan<T> actual, ReadOnlySpan<T> expected, string unit)
        where T : IEquatable<T>
    {
        if (actual.Length != expected.Length)
            return $"{actual.Length:#,0} {unit}, not {expected.Length:#,0}";
        int same = actual.CommonPrefixLength(expected);
        return same == expected.Length ? null : $"other {unit} from {same:#,0} on";
    }
}
