using Sluice.Log.Folders;

namespace Sluice.Log.Tests;

/// <summary>Names by a pattern, and files of others beside them.</summary>
public sealed class NameTests
{
    private static readonly DateTime Time = new(2026, 3, 9, 7, 5, 2, DateTimeKind.Utc);

    [Theory]
    [InlineData("{id}.log", "0000000042.log")]
    [InlineData("app-{date:yyyyMMdd}-{id}.log", "app-20260309-0000000042.log")]
    [InlineData("{date:yyyy}_{id}", "2026_0000000042")]
    [InlineData("app {id} of {date:yyyy-MM-dd_HH.mm.ss}.txt", "app 0000000042 of 2026-03-09_07.05.02.txt")]
    [InlineData("é{id}", "é0000000042")]
    public void A_pattern_gives_names_and_knows_them_again(string pattern, string name)
    {
        SegmentNames names = SegmentNames.Parse(pattern);
        names.NameOf(42, Time).ShouldBe(name);
        names.TryParse(name, out long id, out DateTime utc).ShouldBeTrue();
        id.ShouldBe(42);
        names.NameOf(id, utc).ShouldBe(name);
        for (int i = 0; i < name.Length; i++)
        {
            names.TryParse(name.Remove(i, 1), out _, out _).ShouldBeFalse(name.Remove(i, 1));
            foreach (char c in "0x-/é")
            {
                string other = name[..i] + c + name[(i + 1)..];
                if (names.TryParse(other, out id, out utc))
                {
                    names.NameOf(id, utc).ShouldBe(other);
                }

                other = name.Insert(i, $"{c}");
                if (names.TryParse(other, out id, out utc))
                {
                    names.NameOf(id, utc).ShouldBe(other);
                }
            }
        }

        names.NameOf(12345678901, Time).ShouldBe(name.Replace("0000000042", "12345678901", StringComparison.Ordinal));
        names.TryParse(names.NameOf(12345678901, Time), out id, out _).ShouldBeTrue();
        id.ShouldBe(12345678901);
    }

    [Theory]
    [InlineData("")]
    [InlineData("app.log")]
    [InlineData("{id}{id}")]
    [InlineData("{id}-{id}")]
    [InlineData("{date:yyyy}-{date:yyyy}-{id}")]
    [InlineData("{date:yyyyMMdd}{id}")]
    [InlineData("1{id}")]
    [InlineData("{id}1")]
    [InlineData("log2{date:yyyy}-{id}")]
    [InlineData("{date:MMdd}-{id}")]
    [InlineData("{date:yyyyddMM}-{id}")]
    [InlineData("{date:yyyy/MM}-{id}")]
    [InlineData("{date:}-{id}")]
    [InlineData("{date}-{id}")]
    [InlineData("{name}-{id}")]
    [InlineData("{{id}}")]
    [InlineData("{id")]
    [InlineData("id}{id}")]
    [InlineData("logs/{id}.log")]
    [InlineData("..\\{id}.log")]
    [InlineData("a:{id}")]
    [InlineData("a*{id}")]
    [InlineData("a\n{id}")]
    [InlineData("a\0{id}")]
    [InlineData("{id}.")]
    [InlineData("{id}.log ")]
    [InlineData("{id}.gz")]
    [InlineData("{id}.GZ")]
    [InlineData("{id}.tmp")]
    [InlineData("{id}.slog")]
    public void What_is_no_pattern_is_refused_before_anything_is_made(string pattern)
    {
        using TempFolder folder = new();
        SluiceLogOptions options = new() { Format = LogFormat.Raw, FileNamePattern = pattern };
        ArgumentException error = Should.Throw<ArgumentException>(() => folder.Open(options));
        error.ParamName.ShouldBe("FileNamePattern");
        error.Message.ShouldContain($"'{pattern}' is not a pattern of file names: ");
        Directory.Exists(folder.Log).ShouldBeFalse();
    }

    [Fact]
    public void A_name_that_is_too_long_and_a_framed_log_with_names_are_refused()
    {
        using TempFolder folder = new();
        string longest = new string('a', 255 - 18 - ".gz.tmp".Length) + "{id}";
        SegmentNames.Parse(longest).NameOf(1).Length.ShouldBeLessThan(255);
        foreach (string pattern in (string[])["a" + longest, new string('é', 120) + "{id}"])
        {
            Should.Throw<ArgumentException>(() => SegmentNames.Parse(pattern)).Message.ShouldContain("longer than 255 bytes");
        }

        Should.Throw<ArgumentException>(() => folder.Open(new SluiceLogOptions { FileNamePattern = "{id}.log" }))
            .ParamName.ShouldBe("FileNamePattern");
    }

    [Fact]
    public void Names_follow_one_another_in_order_and_what_others_put_beside_them_stays_as_it_is()
    {
        using TempFolder folder = new();
        Directory.CreateDirectory(folder.Log);
        string day = DateTime.UtcNow.ToString("yyyyMMdd");
        string[] foreign =
        [
            $"app-{day}-1.log", $"app-{day}-00000000001.log", $"app-{day}-0000000001.log.bak", $"xapp-{day}-0000000001.log",
            $"app-{day}-0000000001.txt", "app-20261322-0000000001.log", "app-2026-03-0000000001.log", $"app-{day}-0000000001.log.gz.bak",
            $"APP-{day}-0000000001.log", "0000000001.log", "0000000001.slog", $"app-{day}-+000000001.log", $"app-{day}- 000000001.log",
            $"app-{day}-９９９９９９９９９９.log",
        ];
        foreach (string name in foreign)
        {
            File.WriteAllText(folder.PathOf(name), name);
        }

        string victim = Path.Combine(folder.Root, "victim");
        File.WriteAllText(victim, "victim");
        string[] taken = [$"app-{day}-0000000005.log"];
        if (!OperatingSystem.IsWindows())
        {
            File.CreateSymbolicLink(folder.PathOf($"app-{day}-0000000002.log"), victim);
            File.CreateSymbolicLink(folder.PathOf($"app-{day}-0000000001.log.gz"), victim);
            taken = [.. taken, $"app-{day}-0000000002.log", $"app-{day}-0000000001.log.gz"];
        }

        Directory.CreateDirectory(folder.PathOf($"app-{day}-0000000005.log"));
        for (int round = 0; round < 3; round++)
        {
            using SluiceLog log = folder.Open(Options("app-{date:yyyyMMdd}-{id}.log", retain: 2));
            for (int i = 0; i < 100; i++)
            {
                log.Append(new byte[500]);
            }

            Threads.WaitUntil(() => Own().Length <= 2, string.Join(' ', Own()));
            log.LastError.ShouldBeNull();
        }

        foreach (string name in foreign)
        {
            File.ReadAllText(folder.PathOf(name)).ShouldBe(name);
        }

        File.ReadAllText(victim).ShouldBe("victim");
        Directory.Exists(folder.PathOf(taken[0])).ShouldBeTrue();
        taken[1..].ShouldAllBe(name => new FileInfo(folder.PathOf(name)).LinkTarget == victim);
        long.Parse(Own().Max()![^14..^4]).ShouldBeGreaterThan(30);

        string[] Own() =>
        [
            .. folder.Files.Select(static f => Path.GetFileName(f)).Except(foreign).Except(taken),
        ];
    }

    [Fact]
    public void A_clock_that_was_set_back_makes_no_name_that_stands_before_an_older_one()
    {
        using TempFolder folder = new();
        Directory.CreateDirectory(folder.Log);
        string future = folder.PathOf("a-29991231-0000000007.log");
        File.WriteAllBytes(future, new byte[5000]);
        using (SluiceLog log = folder.Open(Options("a-{date:yyyyMMdd}-{id}.log")))
        {
            for (int i = 0; i < 20; i++)
            {
                log.Append(new byte[500]);
            }
        }

        folder.Files.Select(static f => Path.GetFileName(f)).ShouldBe([.. Enumerable.Range(7, 4).Select(static i => $"a-29991231-{i:D10}.log")]);
        new FileInfo(future).Length.ShouldBe(5000);
    }

    private static SluiceLogOptions Options(string pattern, int? retain = null) =>
        SmallLog.With(o => (o.Format, o.FileNamePattern, o.RetainSegments) = (LogFormat.Raw, pattern, retain));
}
