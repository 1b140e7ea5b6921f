using System.Buffers;
using System.Text;
using Microsoft.Win32.SafeHandles;

namespace Sluice.Tests.Sequential;

/// <summary>Text of a SluiceWriter, compared with StreamWriter's.</summary>
public sealed class SluiceWriterTextTests : IDisposable
{
    /// <summary>Units of each kind: ASCII, two and three bytes of UTF-8, pairs, and surrogates alone.</summary>
    private static readonly string[] s_parts =
        ["a", "line of text", "\u00E9", "\u6F22\u5B57", "\uFFFD", "\uD83D\uDE00", "\uD83D", "\uDE00", "\n", "\0"];

    private readonly TempFolder _temp = new();

    public static TheoryData<string> EncodingNames =>
        ["utf-8", "utf-8 bom", "utf-16", "utf-16BE", "utf-32", "iso-8859-1", "us-ascii", "long", "gb18030", "iso-2022-jp"];

    public static TheoryData<string, FileCaching> Cases => SequentialCases.All;

    public void Dispose() => _temp.Dispose();

    [Fact]
    public async Task Each_argument_finds_the_overload_of_its_kind()
    {
        string path = _temp.NewPath();
        string? nothing = null;
        int number = 7;
        await using (SluiceWriter writer = new(path, new SluiceWriterOptions { NewLine = "\n" }))
        {
            writer.Write("text ");
            writer.Write("bytes "u8);
            writer.Write($"number {number} ");
            writer.Write(new[] { 'c', 'h' });
            writer.Write(new byte[] { 65, 66 });
            writer.Write("span".AsSpan(1));
            writer.Write(['[', ']']);
            writer.Write([67, 68]);
            writer.Write(nothing);
            writer.Write(new string('x', 2), CancellationToken.None);
            writer.WriteLine();
            writer.WriteLine("line");
            writer.WriteLine($"line {number}");
            writer.WriteLine(nothing);
            await writer.WriteAsync("text ");
            await writer.WriteAsync($"number {number} ");
            await writer.WriteAsync("memory ".AsMemory());
            await writer.WriteAsync(new byte[] { 65, 66 });
            await writer.WriteAsync(new[] { 'c', 'h' });
            await writer.WriteAsync(nothing);
            await writer.WriteLineAsync();
            await writer.WriteLineAsync("line");
            await writer.WriteLineAsync("line".AsMemory(), CancellationToken.None);
            await writer.WriteLineAsync(nothing, CancellationToken.None);
        }

        File.ReadAllText(path).ShouldBe(
            "text bytes number 7 chABpan[]CDxx\nline\nline 7\n\ntext number 7 memory ABch\nline\nline\n\n");
    }

    [Theory]
    [MemberData(nameof(EncodingNames))]
    public async Task A_text_that_is_split_anywhere_has_the_bytes_of_StreamWriter(string name)
    {
        Encoding encoding = EncodingOf(name);
        string text = string.Concat(s_parts) + "\uD83D\uDE00\uD83D";
        foreach (int size in (int[])[0, 1, 3])
        {
            for (int border = 0; border <= text.Length; border++)
            {
                bool isAsync = (size + border) % 2 == 0;
                string path = _temp.NewPath();
                await using (SluiceWriter writer = new(
                    path, new SluiceWriterOptions { Encoding = encoding, NewLine = "\u6F22\n", RequestSize = size }))
                {
                    await WriteAsync(writer, text[..border], isLine: false, isAsync);
                    await WriteAsync(writer, text[border..], isLine: true, isAsync);
                    await WriteAsync(writer, text[border..], isLine: false, isAsync);
                }

                using MemoryStream expected = new();
                await using (StreamWriter model = new(expected, encoding) { NewLine = "\u6F22\n" })
                {
                    model.Write(text[..border]);
                    model.WriteLine(text[border..]);
                    model.Write(text[border..]);
                }

                File.ReadAllBytes(path).ShouldBeBytes(expected.ToArray(), $"{name}, blocks of {size}, {border}, async {isAsync}");
            }
        }
    }

    [Theory]
    [MemberData(nameof(Cases))]
    public async Task Random_calls_agree_with_StreamWriter(string engine, FileCaching caching)
    {
        int seed = 0;
        foreach (string name in EncodingNames.Cast<object[]>().Select(static row => (string)row[0]))
        {
            Random random = new(++seed);
            Encoding encoding = EncodingOf(name);
            string newLine = random.Next(3) switch { 0 => "\n", 1 => "\r\n", _ => "\uDE00\uD83D" };
            string path = _temp.NewPath();
            using MemoryStream stream = new();
            StreamWriter model = new(stream, encoding) { NewLine = newLine };
            SluiceWriter writer = new(path, new SluiceWriterOptions
            {
                Engine = SequentialCases.Engine(engine),
                Caching = caching,
                Encoding = encoding,
                NewLine = newLine,
                RequestSize = random.Next(3) switch { 0 => 0, 1 => 4096, _ => random.Next(1, 3000) },
                Depth = random.Next(4),
            });
            await WriteBothAsync(writer, model, "first", isLine: true, isAsync: false);
            for (int i = 0; i < 150; i++)
            {
                switch (random.Next(12))
                {
                    case 0:
                        await writer.FlushAsync();
                        await model.FlushAsync();
                        writer.Position.ShouldBe(stream.Position, $"{name}, seed {seed}, call {i}");
                        break;
                    case 1:
                        byte[] bytes = Bytes.Pattern(random.Next(1, 30));
                        await model.FlushAsync();
                        stream.Write(bytes);
                        switch (random.Next(3))
                        {
                            case 0:
                                writer.Write(bytes);
                                break;
                            case 1:
                                await writer.WriteAsync(bytes);
                                break;
                            default:
                                ((IBufferWriter<byte>)writer).Write(bytes);
                                break;
                        }

                        break;
                    default:
                        string text = Text(random, random.Next(10) == 0 ? 3000 : random.Next(20));
                        await WriteBothAsync(writer, model, text, random.Next(2) == 0, random.Next(2) == 0);
                        break;
                }
            }

            if (random.Next(2) == 0)
            {
                await writer.CompleteAsync();
            }

            await writer.DisposeAsync();
            await model.DisposeAsync();
            File.ReadAllBytes(path).ShouldBeBytes(stream.ToArray(), $"{name}, seed {seed}");
        }
    }

    [Theory]
    [InlineData("utf-8", "")]
    [InlineData("utf-8 bom", "EFBBBF")]
    [InlineData("utf-16", "FFFE")]
    public void The_preamble_begins_a_file_that_begins_with_text(string name, string preamble)
    {
        Encoding encoding = EncodingOf(name);
        string text = Convert.ToHexString(encoding.GetBytes("x"));
        Written(new SluiceWriterOptions { Encoding = encoding }, static w => w.Write("x")).ShouldBe(preamble + text);
        Written(new SluiceWriterOptions { Encoding = encoding }, static w => w.Write("")).ShouldBe(preamble);
        Written(new SluiceWriterOptions { Encoding = encoding }, static _ => { }).ShouldBe("");
        Written(new SluiceWriterOptions { Encoding = encoding, Offset = 1 }, static w => w.Write("x")).ShouldBe("00" + text);
        Written(
            new SluiceWriterOptions { Encoding = encoding },
            static w =>
            {
                w.WriteRecord((byte)9);
                w.Write("x");
            }).ShouldBe("09" + text);
    }

    [Fact]
    public void The_defaults_are_those_of_StreamWriter_but_for_lone_surrogates()
    {
        SluiceWriterOptions options = new();
        options.NewLine.ShouldBe(Environment.NewLine);
        options.Encoding.CodePage.ShouldBe(Encoding.UTF8.CodePage);
        options.Encoding.Preamble.Length.ShouldBe(0);
        options.Encoding.GetBytes("\uD83D").ShouldBe("\uFFFD"u8.ToArray());
        Should.Throw<ArgumentNullException>(() => new SluiceWriter(_temp.NewPath(), new SluiceWriterOptions { Encoding = null! }));
        Should.Throw<ArgumentNullException>(() => new SluiceWriter(_temp.NewPath(), new SluiceWriterOptions { NewLine = null! }));
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_text_that_the_encoding_refuses_ends_text_and_leaves_what_was_written(bool isAsync)
    {
        string path = _temp.NewPath();
        UTF8Encoding strict = new(encoderShouldEmitUTF8Identifier: false, throwOnInvalidBytes: true);
        SluiceWriter writer = new(path, new SluiceWriterOptions { Encoding = strict, NewLine = "\n" });
        await WriteAsync(writer, "before", isLine: true, isAsync);
        await Should.ThrowAsync<EncoderFallbackException>(async () => await WriteAsync(writer, "x\uDE00", isLine: true, isAsync));
        await Should.ThrowAsync<EncoderFallbackException>(async () => await WriteAsync(writer, "after", isLine: true, isAsync));
        writer.Write("bytes"u8);
        await writer.FlushAsync();
        await writer.DisposeAsync();
        File.ReadAllText(path).ShouldBe("before\nbytes");
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Half_a_pair_that_the_encoding_refuses_is_reported_by_the_call_that_ends_the_text(bool isAsync)
    {
        string path = _temp.NewPath();
        UTF8Encoding strict = new(encoderShouldEmitUTF8Identifier: false, throwOnInvalidBytes: true);
        SluiceWriter writer = new(path, new SluiceWriterOptions { Encoding = strict });
        await WriteAsync(writer, "end\uD83D", isLine: false, isAsync);
        if (isAsync)
        {
            await Should.ThrowAsync<EncoderFallbackException>(async () => await writer.DisposeAsync());
        }
        else
        {
            Should.Throw<EncoderFallbackException>(writer.Dispose);
        }

        writer.SluiceHandle.SafeFileHandle.IsClosed.ShouldBeTrue();
        File.ReadAllText(path).ShouldBe("end");
    }

    /// <summary>A new encoder would take the file to be in the encoding's initial state, and the text behind would be unreadable.</summary>
    [Fact]
    public void A_refused_text_ends_text_of_an_encoding_with_shift_states()
    {
        Encoding japanese = CodePagesEncodingProvider.Instance.GetEncoding(
            50220, EncoderFallback.ExceptionFallback, DecoderFallback.ExceptionFallback)!;
        string path = _temp.NewPath();
        using (SluiceWriter writer = new(path, new SluiceWriterOptions { Encoding = japanese }))
        {
            writer.Write("\u65E5\u672C");
            Should.Throw<EncoderFallbackException>(() => writer.Write("\uD83D\uDE00"));
            Should.Throw<EncoderFallbackException>(() => writer.Write("abc"));
        }

        japanese.GetString(File.ReadAllBytes(path)).ShouldBe("\u65E5\u672C");
    }

    [Theory]
    [InlineData(-1)]
    [InlineData(1_000_000)]
    public void An_encoding_that_returns_an_impossible_count_is_refused(int count)
    {
        string path = _temp.NewPath();
        OddEncoding encoding = new() { Count = count };
        using (SluiceWriter writer = new(path, new SluiceWriterOptions { Encoding = encoding }))
        {
            writer.Write("before "u8);
            Should.Throw<InvalidOperationException>(() => writer.Write("text"));
            writer.Position.ShouldBe(7);
            encoding.Count = null;
            Should.Throw<InvalidOperationException>(() => writer.Write("text"));
            writer.Write("after"u8);
        }

        File.ReadAllText(path).ShouldBe("before after");
    }

    [Theory]
    [MemberData(nameof(EncodingNames))]
    public async Task A_cancelled_call_leaves_whole_characters_of_a_beginning(string name)
    {
        Encoding encoding = EncodingOf(name);
        using CancellationTokenSource source = new();
        await source.CancelAsync();
        string text = string.Concat(Enumerable.Repeat("a\u6F22\uD83D\uDE00", 5000));
        string path = _temp.NewPath();
        SluiceWriter writer = new(path, new SluiceWriterOptions { Encoding = encoding, RequestSize = 4099 });
        Should.Throw<OperationCanceledException>(() => writer.Write(text, source.Token));
        ValueTask task = writer.WriteAsync(text, source.Token);
        task.IsCanceled.ShouldBeTrue();
        await Should.ThrowAsync<OperationCanceledException>(async () => await task);
        long taken = writer.Position;
        taken.ShouldBeGreaterThan(4000);
        writer.WriteLine("|");
        await writer.DisposeAsync();

        byte[] whole = [.. encoding.Preamble, .. encoding.GetBytes(text)];
        string written = encoding.GetString(File.ReadAllBytes(path));
        string start = encoding.GetString(whole);
        int end = written.IndexOf('|', StringComparison.Ordinal);
        start.ShouldStartWith(written[..end]);
        end.ShouldBeGreaterThan(100);
        written[end..].ShouldBe("|" + Environment.NewLine);
    }

    [SkippableFact]
    public async Task A_cancelled_wait_for_a_pipe_leaves_whole_characters()
    {
        (SafeFileHandle read, SafeFileHandle write) = Native.Pipe();
        SluiceHandle handle = SluiceHandle.FromSafeFileHandle(write, FileAccess.Write, ownsHandle: true);
        SluiceWriter writer = new(handle, new SluiceWriterOptions { RequestSize = 4099, NewLine = "\n" });
        using CancellationTokenSource source = new();
        string text = string.Concat(Enumerable.Repeat("\uD83D\uDE00", 100_000));
        Task writing = writer.WriteAsync(text, source.Token).AsTask();
        await source.CancelAsync();
        await Should.ThrowAsync<OperationCanceledException>(() => writing);
        Task<string> content = Task.Run(() =>
        {
            using StreamReader reader = new(new FileStream(read, FileAccess.Read));
            return reader.ReadToEnd();
        });
        await writer.WriteLineAsync("|");
        await writer.DisposeAsync();
        string received = await content;
        received.ShouldEndWith("|\n");
        text.ShouldStartWith(received[..^2]);
    }

    [Fact]
    public async Task Text_after_the_end_is_refused()
    {
        SluiceWriter writer = new(_temp.NewPath());
        writer.WriteLine("x");
        writer.Complete();
        Should.Throw<InvalidOperationException>(() => writer.WriteLine("x"));
        await Should.ThrowAsync<InvalidOperationException>(async () => await writer.WriteLineAsync("x"));
        await writer.DisposeAsync();
        Should.Throw<ObjectDisposedException>(() => writer.Write("x"));
        await Should.ThrowAsync<ObjectDisposedException>(async () => await writer.WriteAsync("x"));
    }

    [Fact]
    public void Lines_allocate_nothing()
    {
        const int lines = 5000;
        using SluiceWriter writer = new(_temp.NewPath(), new SluiceWriterOptions { RequestSize = 64 * 1024 });
        string line = new('x', 100);
        Lines();
        long before = GC.GetAllocatedBytesForCurrentThread();
        Lines();
        (GC.GetAllocatedBytesForCurrentThread() - before).ShouldBeLessThan(lines);

        void Lines()
        {
            for (int i = 0; i < lines; i++)
            {
                writer.WriteLine(line);
            }
        }
    }

    private static Encoding EncodingOf(string name) => name switch
    {
        "utf-8" => new UTF8Encoding(encoderShouldEmitUTF8Identifier: false),
        "utf-8 bom" => Encoding.UTF8,
        "long" => Encoding.GetEncoding(
            "us-ascii", new EncoderReplacementFallback("<a long replacement>"), DecoderFallback.ReplacementFallback),
        "gb18030" or "iso-2022-jp" => CodePagesEncodingProvider.Instance.GetEncoding(name)!,
        _ => Encoding.GetEncoding(name),
    };

    private static string Text(Random random, int parts)
    {
        StringBuilder text = new();
        for (int i = 0; i < parts; i++)
        {
            text.Append(s_parts[random.Next(s_parts.Length)]);
        }

        return text.ToString();
    }

    private static async Task WriteBothAsync(SluiceWriter writer, StreamWriter model, string text, bool isLine, bool isAsync)
    {
        await WriteAsync(writer, text, isLine, isAsync);
        if (isLine)
        {
            await model.WriteLineAsync(text);
        }
        else
        {
            await model.WriteAsync(text);
        }
    }

    private static async Task WriteAsync(SluiceWriter writer, string text, bool isLine, bool isAsync)
    {
        switch (isLine, isAsync)
        {
            case (false, false):
                writer.Write(text);
                break;
            case (true, false):
                writer.WriteLine(text);
                break;
            case (false, true):
                await writer.WriteAsync(text.AsMemory());
                break;
            default:
                await writer.WriteLineAsync(text.AsMemory());
                break;
        }
    }

    private string Written(SluiceWriterOptions options, Action<SluiceWriter> write)
    {
        string path = _temp.NewPath();
        using (SluiceWriter writer = new(path, options))
        {
            write(writer);
        }

        return Convert.ToHexString(File.ReadAllBytes(path));
    }

    /// <summary>ASCII whose encoder may return a wrong count.</summary>
    private sealed class OddEncoding : ASCIIEncoding
    {
        public int? Count { get; set; }

        public override Encoder GetEncoder() => new OddEncoder(this);

        private sealed class OddEncoder(OddEncoding encoding) : Encoder
        {
            public override int GetByteCount(char[] chars, int index, int count, bool flush) => count;

            public override int GetBytes(char[] chars, int charIndex, int charCount, byte[] bytes, int byteIndex, bool flush) =>
                encoding.GetBytes(chars, charIndex, charCount, bytes, byteIndex);

            public override int GetBytes(ReadOnlySpan<char> chars, Span<byte> bytes, bool flush) =>
                encoding.Count ?? encoding.GetBytes(chars, bytes);
        }
    }
}
