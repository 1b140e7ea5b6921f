using System.Text;

namespace Sluice.Tests.Files;

/// <summary>Whole files whose length is not what can be read, and callers whose code throws.</summary>
public sealed class WholeFileTests : IDisposable
{
    private readonly TempFolder _temp = new();

    public void Dispose() => _temp.Dispose();

    [SkippableFact]
    public async Task Files_that_are_shorter_than_their_length_are_read_to_their_end()
    {
        // A file of sysfs says that it has a page.
        const string path = "/sys/kernel/mm/transparent_hugepage/enabled";
        Skip.IfNot(File.Exists(path)
            && new FileInfo(path).Length > File.ReadAllText(path).Length, "no file of sysfs here that is shorter than its length");
        string text = File.ReadAllText(path);
        byte[] bytes = Encoding.UTF8.GetBytes(text);
        SluiceFile.ReadAllText(path).ShouldBe(text);
        (await SluiceFile.ReadAllTextAsync(path)).ShouldBe(text);
        SluiceFile.ReadAllLines(path).ShouldBe(File.ReadAllLines(path));
        SluiceFile.ReadAllBytes(path).ShouldBe(bytes);
        (await SluiceFile.ReadAllBytesAsync(path)).ShouldBe(bytes);
        await foreach (FileReadResult result in SluiceFile.ReadManyAsync([path, path]))
        {
            result.GetContent().ShouldBe(bytes);
        }
    }

    /// <summary>Some decoders answer differently if they get the incomplete character and the end in one call.</summary>
    [Theory]
    [InlineData("8130")]
    [InlineData("618130")]
    [InlineData("61813081")]
    [InlineData("616263640A6566678130")]
    public async Task Text_that_ends_within_a_character_is_read_as_by_File(string hex)
    {
        Encoding encoding = CodePagesEncodingProvider.Instance.GetEncoding("gb18030").ShouldNotBeNull();
        string path = _temp.NewFile(Convert.FromHexString(hex));
        string text = File.ReadAllText(path, encoding);
        string[] lines = File.ReadAllLines(path, encoding);
        SluiceFile.ReadAllText(path, encoding).ShouldBe(text);
        (await SluiceFile.ReadAllTextAsync(path, encoding)).ShouldBe(text);
        SluiceFile.ReadAllLines(path, encoding).ShouldBe(lines);
        (await SluiceFile.ReadAllLinesAsync(path, encoding)).ShouldBe(lines);
        List<string> read = [];
        await foreach (string line in SluiceFile.ReadLinesAsync(path, encoding))
        {
            read.Add(line);
        }

        read.ShouldBe(lines);
        using SluiceReader reader = new(path, new SluiceReaderOptions { RequestSize = 1 });
        reader.ReadStringLines(encoding).ShouldBe(lines);
    }

    [Fact]
    public async Task Logs_that_are_cut_and_written_meanwhile_are_read()
    {
        string path = _temp.NewFile(0);
        using CancellationTokenSource end = new();
        Task writing = Task.Run(() =>
        {
            byte[] piece = new byte[300_000];
            piece.AsSpan().Fill((byte)'a');
            using FileStream log = new(path, FileMode.Open, FileAccess.Write, FileShare.ReadWrite, bufferSize: 0);
            while (!end.IsCancellationRequested)
            {
                log.SetLength(0);
                log.Position = 0;
                log.Write(piece);
            }
        });
        try
        {
            for (int i = 0; i < 200; i++)
            {
                OnlyText(SluiceFile.ReadAllText(path));
                OnlyText(await SluiceFile.ReadAllTextAsync(path));
                OnlyText(Encoding.UTF8.GetString(SluiceFile.ReadAllBytes(path)));
                OnlyText(Encoding.UTF8.GetString(await SluiceFile.ReadAllBytesAsync(path)));
            }
        }
        finally
        {
            await end.CancelAsync();
            await writing;
        }

        // What was cut away and not yet written again reads as nothing, or as zeros; never as something else.
        static void OnlyText(string text) => text.AsSpan().IndexOfAnyExcept('a', '\0').ShouldBe(-1);
    }

    [Theory]
    [InlineData(0)]
    [InlineData(40)]
    [InlineData(3000)]
    public async Task Lines_before_an_exception_are_in_the_file_as_with_File(int count)
    {
        string expected = _temp.NewFile("first\n"u8);
        string actual = _temp.NewFile("first\n"u8);
        await Should.ThrowAsync<InvalidOperationException>(() => File.WriteAllLinesAsync(expected, Throwing()));
        await Should.ThrowAsync<InvalidOperationException>(() => SluiceFile.WriteAllLinesAsync(actual, Throwing()));
        File.ReadAllBytes(actual).ShouldBeBytes(File.ReadAllBytes(expected));
        await Should.ThrowAsync<InvalidOperationException>(() => File.AppendAllLinesAsync(expected, Throwing()));
        await Should.ThrowAsync<InvalidOperationException>(() => SluiceFile.AppendAllLinesAsync(actual, Throwing()));
        File.ReadAllBytes(actual).ShouldBeBytes(File.ReadAllBytes(expected));

        using FileStream free = new(actual, FileMode.Open, FileAccess.ReadWrite, FileShare.None);

        IEnumerable<string> Throwing()
        {
            for (int i = 0; i < count; i++)
            {
                yield return $"line {i} ä";
            }

            throw new InvalidOperationException("the sequence");
        }
    }

    [Fact]
    public async Task A_token_ends_the_lines_at_the_next_one_as_with_File()
    {
        (int takenBySluice, byte[] content) =
            await CancelledAfterTen((path, lines, token) => SluiceFile.WriteAllLinesAsync(path, lines, token));
        (int takenByNet, byte[] contentByNet) =
            await CancelledAfterTen((path, lines, token) => File.WriteAllLinesAsync(path, lines, token));
        takenBySluice.ShouldBe(takenByNet);
        content.ShouldBeBytes(contentByNet);

        async Task<(int Taken, byte[] Content)> CancelledAfterTen(Func<string, IEnumerable<string>, CancellationToken, Task> write)
        {
            string path = _temp.NewPath();
            using CancellationTokenSource source = new();
            int taken = 0;
            await Should.ThrowAsync<OperationCanceledException>(() => write(path, Lines(), source.Token));
            return (taken, File.ReadAllBytes(path));

            IEnumerable<string> Lines()
            {
                for (; taken < 1000; taken++)
                {
                    if (taken == 10)
                    {
                        source.Cancel();
                    }

                    yield return $"{taken}";
                }
            }
        }
    }

    [Fact]
    public async Task A_mark_that_changes_its_length_brings_no_foreign_bytes()
    {
        string path = _temp.NewPath();
        await SluiceFile.WriteAllTextAsync(path, "text", new ChangingMark());
        byte[] content = File.ReadAllBytes(path);
        content[^4..].ShouldBe("text"u8.ToArray());
        content[..^4].ShouldAllBe(b => b == 0xAB);
    }

    private sealed class ChangingMark : UTF8Encoding
    {
        private int _length;

        public override ReadOnlySpan<byte> Preamble
        {
            get
            {
                byte[] mark = new byte[_length += 30];
                mark.AsSpan().Fill(0xAB);
                return mark;
            }
        }
    }

    /// <summary>File looks at a long text before it truncates the file.</summary>
    [Theory]
    [InlineData(10_000)]
    [InlineData(100_000)]
    public async Task Long_text_that_cannot_be_encoded_leaves_the_old_content_as_with_File(int length)
    {
        string text = new string('x', length) + '\ud800';
        string path = _temp.NewPath();
        File.WriteAllText(path, "old");
        Should.Throw<EncoderFallbackException>(() => File.WriteAllText(path, text));
        Should.Throw<EncoderFallbackException>(() => SluiceFile.WriteAllText(path, text));
        await Should.ThrowAsync<EncoderFallbackException>(() => SluiceFile.WriteAllTextAsync(path, text));
        File.ReadAllText(path).ShouldBe("old");
    }
}
