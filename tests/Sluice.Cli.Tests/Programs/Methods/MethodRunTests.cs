using System.Text;
using Shouldly;
using Sluice.Cli.Load;
using Sluice.Cli.Programs.Methods;
using Sluice.Cli.Tests.Support;
using Xunit;

namespace Sluice.Cli.Tests.Programs.Methods;

/// <summary>Every method at the sizes where they go wrong, and what finds out that one did.</summary>
[Trait("Tier", "slow")]
[Trait("Runs", "once")]
public sealed class MethodRunTests : IDisposable
{
    private readonly TempFolder _folder = new();

    public void Dispose() => _folder.Dispose();

    [Theory]
    [InlineData(1)]
    [InlineData(65_537)]
    public void Every_method_gives_what_is_in_the_file(int sizeBytes)
    {
        var wrong = Run(sizeBytes, MethodList.All).Where(r => r.Value.Difference is not null)
            .Select(r => $"{r.Key.Name}: {r.Value.Difference}");
        wrong.ShouldBeEmpty();
        Directory.EnumerateFileSystemEntries(_folder.FullPath).ShouldBeEmpty();
    }

    [Fact]
    public void Names_are_unique_and_the_articles_are_all_there()
    {
        MethodList.All.Select(m => (m.Name, m.Writes)).ShouldBeUnique();
        string[] names = [.. MethodList.All.Select(m => m.Name)];
        string[] article =
        [
            "File.ReadAllLines", "File.ReadAllText", "File.ReadAllBytes", "BinaryReader.Read", "File.WriteAllLines", "File.WriteAllText",
            "File.WriteAllBytes", "BinaryWriter.Write", .. Enumerable.Range(1, 7).Select(i => $"StreamReader{i}."),
            .. Enumerable.Range(1, 8).Select(i => $"FileStream{i}."), "FileStream2A.", "StreamWriter1.Write", "FileStream1.Write",
            "FileStream2.Write",
            "FileStream3.Write", "WFIO1.Read", "WFIO2.ReadUntilEOF", "WFIO3.ReadBlocks", "WFIO1.Write", "WFIO2.WriteBlocks",
        ];
        foreach (string name in article)
            names.ShouldContain(n => n.StartsWith(name, StringComparison.Ordinal), name);
        names.Count(n => n.Contains("BeginRead", StringComparison.Ordinal)).ShouldBe(5);
        MethodList.All.Count(m => m.IsOpenBefore && !m.Writes).ShouldBe(4);
        MethodList.All.Count(m => m.IsOpenBefore && m.Writes).ShouldBe(4);
    }

    [Fact]
    public void What_is_read_wrong_is_found_in_every_form()
    {
        Method[] wrong =
        [
            Method.Reading("short", IoSide.Bcl, ResultKind.Bytes, i => MethodResult.Bytes(i.Sample.Content.AsMemory(1))),
            Method.Reading("stale", IoSide.Bcl, ResultKind.Bytes, i => MethodResult.Bytes(i.Bytes)),
            Method.Reading("other text", IoSide.Bcl, ResultKind.Text, i => MethodResult.Text(i.Sample.Text.Replace('e', 'E').AsMemory())),
            Method.Reading("stale text", IoSide.Bcl, ResultKind.Text, i => MethodResult.Text(i.Chars)),
            Method.Reading("lines turned round", IoSide.Bcl, ResultKind.Lines, i => MethodResult.Lines(i.Sample.Lines.Reverse())),
            Method.Reading("a line less", IoSide.Bcl, ResultKind.Lines, i => MethodResult.Lines(i.Sample.Lines.Skip(1))),
            Method.Reading("nothing", IoSide.Bcl, ResultKind.Lines, i => MethodResult.Lines(i.NewSum())),
            Method.Writing("a byte more", IoSide.Bcl, ResultKind.Bytes, i => File.WriteAllBytes(i.Path, [.. i.Sample.Content, 0])),
            Method.Writing("mark", IoSide.Bcl, ResultKind.Text, i => File.WriteAllText(i.Path, i.Sample.Text, new UTF8Encoding(true))),
        ];
        // The two stale ones find the arrays filled by the method before them.
        Method right = Method.Reading("right", IoSide.Bcl, ResultKind.Bytes, i =>
        {
            i.Sample.Content.CopyTo(i.Bytes, 0);
            i.Sample.Chars.CopyTo(i.Chars, 0);
            return MethodResult.Bytes(i.Bytes);
        });
        IReadOnlyDictionary<Method, MethodTimes> results = Run(5000, [right, .. wrong]);
        results[right].Difference.ShouldBeNull();
        wrong.Where(m => results[m].Difference is null).Select(m => m.Name).ShouldBeEmpty();
    }

    [SkippableFact]
    public void No_method_calls_a_file_written_that_did_not_fit()
    {
        using TestVolume disk = TestVolume.MountMemory(_folder["disk"], "1m");
        foreach (Method method in MethodList.All.Where(m => m.Writes))
        {
            using var run = new MethodRun(disk.Path, 700_000, CancellationToken.None);
            IOException error = Should.Throw<IOException>(() => run.Measure(0, method, new MethodTimes()), method.Name);
            error.Message.ShouldContain("write.txt", Case.Sensitive, method.Name);
        }
    }

    [Fact]
    public void A_cancelled_run_measures_no_further_method()
    {
        using var cancellation = new CancellationTokenSource();
        using var run = new MethodRun(_folder.FullPath, 1000, cancellation.Token);
        var times = new MethodTimes();
        run.Measure(1, MethodList.All[0], times);
        (times.Seconds.Count, times.RoundSeconds.Count).ShouldBe((15, 1));
        cancellation.Cancel();
        Should.Throw<OperationCanceledException>(() => run.Measure(2, MethodList.All[0], times));
        (times.Seconds.Count, times.RoundSeconds.Count).ShouldBe((15, 1));
    }

    [Fact]
    public void Rounds_go_there_and_back()
    {
        Method[] methods = [.. MethodList.All.Take(3)];
        MethodRun.Steps(methods, 2).Select(s => (s.Round, Array.IndexOf(methods, s.Method)))
            .ShouldBe([(0, 2), (0, 1), (0, 0), (1, 0), (1, 1), (1, 2), (2, 2), (2, 1), (2, 0)]);
    }

    [Theory]
    [InlineData(1)]
    [InlineData(3)]
    [InlineData(1000)]
    [InlineData(692_060)]
    public void A_text_has_exactly_its_size_and_ends_with_a_line(int sizeBytes)
    {
        var sample = new TextSample(sizeBytes);
        sample.SizeBytes.ShouldBe(sizeBytes);
        (sample.Text.Length, sample.Chars.Length).ShouldBe((sizeBytes, sizeBytes));
        sample.Text.ShouldEndWith("\n");
        sample.LineSum.Lines.ShouldBe(sample.Lines.Length);
        (string.Join(Environment.NewLine, sample.Lines) + Environment.NewLine).ShouldBe(sample.Text);
    }

    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    [InlineData(7)]
    [InlineData(100)]
    public void Lines_are_found_wherever_the_blocks_end(int blockBytes)
    {
        const string text = "a\r\n\r\nbc\n\ndef\rg\r\nlast";
        var lines = new List<string>();
        var parser = new LineParser<char>('\n', '\r', line => lines.Add(line.ToString()));
        for (int at = 0; at < text.Length; at += blockBytes)
            parser.Feed(text.AsSpan(at, Math.Min(blockBytes, text.Length - at)));
        parser.End();
        lines.ShouldBe(["a", "", "bc", "", "def\rg", "last"]);
    }

    [Fact]
    public void The_checks_of_WinFileIO_pass()
    {
        IReadOnlyList<(string Name, string? Failure)> checks = new WinFileIOChecks(_folder.FullPath).Run();
        checks.Count.ShouldBeGreaterThan(10);
        checks.Where(c => c.Failure is not null).ShouldBeEmpty();
    }

    private IReadOnlyDictionary<Method, MethodTimes> Run(int sizeBytes, IReadOnlyList<Method> methods)
    {
        using var run = new MethodRun(_folder.FullPath, sizeBytes, CancellationToken.None);
        var results = methods.ToDictionary(m => m, _ => new MethodTimes());
        foreach ((int round, Method method) in MethodRun.Steps(methods, 1))
            run.Measure(round, method, results[method]);
        return results;
    }
}
