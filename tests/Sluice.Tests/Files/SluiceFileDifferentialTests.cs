using System.Text;

namespace Sluice.Tests.Files;

/// <summary>The same call on <see cref="File"/> and on <see cref="SluiceFile"/>: the same result and file, or the same exception
/// type.</summary>
public sealed class SluiceFileDifferentialTests : IDisposable
{
    private static readonly string[] Lines = ["one", "", "zwölf", "last"];
    private static readonly Encoding[] Encodings =
        [Encoding.UTF8, Encoding.Unicode, Encoding.BigEndianUnicode, Encoding.UTF32, Encoding.Latin1, Encoding.ASCII];

    private static readonly Dictionary<string, byte[]?> Contents = new(StringComparer.Ordinal)
    {
        ["missing"] = null,
        ["empty"] = [],
        ["text"] = "first\r\nsecond\nthird\rfourth\n\nlast"u8.ToArray(),
        ["invalid"] = [0x41, 0xC3, 0x0A, 0xE2, 0x82, 0x0D, 0xFF, 0x80, 0x42],
        ["one byte"] = [0x41],
        ["long"] = Encoding.UTF8.GetBytes(string.Join('\n', Enumerable.Range(0, 5000).Select(i => new string('ä', i % 90) + i))),
        ["utf8 mark"] = [0xEF, 0xBB, 0xBF, 0x41, 0x0A],
        ["utf8 mark only"] = [0xEF, 0xBB, 0xBF],
        ["half a mark"] = [0xEF, 0xBB],
        ["half a utf32 mark"] = [0xFF, 0xFE],
        ["utf16"] = [.. Encoding.Unicode.GetPreamble(), .. Encoding.Unicode.GetBytes("a\r\nb")],
        ["utf16be"] = [.. Encoding.BigEndianUnicode.GetPreamble(), .. Encoding.BigEndianUnicode.GetBytes("a\r\nb")],
        ["utf16 odd"] = [0xFF, 0xFE, 0x41],
        ["utf32"] = [.. Encoding.UTF32.GetPreamble(), .. Encoding.UTF32.GetBytes("a\r\nb")],
        ["utf32be"] = [0, 0, 0xFE, 0xFF, 0, 0, 0, 0x41],
    };

    private readonly TempFolder _temp = new();

    public static TheoryData<string> Places =>
        [.. Contents.Keys, "no folder", "folder", "nothing", "NUL inside", "/proc/version", "/dev/null", "/dev/full", "locked"];

    public void Dispose() => _temp.Dispose();

    [SkippableTheory]
    [MemberData(nameof(Places))]
    public async Task Reading_agrees(string place)
    {
        Skip.If(place[0] == '/' && !File.Exists(place), $"{place} is not here");
        Skip.If(place == "/dev/full", "it has no end");
        await CompareAsync(place, p => Done(File.ReadAllBytes(p)), p => Done(SluiceFile.ReadAllBytes(p)));
        await CompareAsync(place, async p => await File.ReadAllBytesAsync(p), async p => await SluiceFile.ReadAllBytesAsync(p));
        await CompareAsync(place, p => Done(File.ReadAllText(p)), p => Done(SluiceFile.ReadAllText(p)));
        await CompareAsync(place, async p => await File.ReadAllTextAsync(p), async p => await SluiceFile.ReadAllTextAsync(p));
        await CompareAsync(place, p => Done(File.ReadAllLines(p)), p => Done(SluiceFile.ReadAllLines(p)));
        await CompareAsync(place, async p => await File.ReadAllLinesAsync(p), async p => await SluiceFile.ReadAllLinesAsync(p));
        await CompareAsync(place, p => Done(File.ReadLines(p).ToArray()), p => Done(SluiceFile.ReadLines(p).ToArray()));
        await CompareAsync(place, async p => await ToArrayAsync(File.ReadLinesAsync(p)), async p =>
            await ToArrayAsync(SluiceFile.ReadLinesAsync(p)));
        foreach (Encoding encoding in Encodings)
        {
            await CompareAsync(place, p => Done(File.ReadAllText(p, encoding)), p => Done(SluiceFile.ReadAllText(p, encoding)));
            await CompareAsync(place, async p => await File.ReadAllTextAsync(p, encoding), async p =>
                await SluiceFile.ReadAllTextAsync(p, encoding));
            await CompareAsync(place, p => Done(File.ReadAllLines(p, encoding)), p => Done(SluiceFile.ReadAllLines(p, encoding)));
            await CompareAsync(place, async p => await File.ReadAllLinesAsync(p, encoding), async p =>
                await SluiceFile.ReadAllLinesAsync(p, encoding));
            await CompareAsync(place, p => Done(File.ReadLines(p, encoding).ToArray()), p =>
                Done(SluiceFile.ReadLines(p, encoding).ToArray()));
            await CompareAsync(place, async p => await ToArrayAsync(File.ReadLinesAsync(p, encoding)), async p =>
                await ToArrayAsync(SluiceFile.ReadLinesAsync(p, encoding)));
        }
    }

    [SkippableTheory]
    [MemberData(nameof(Places))]
    public async Task Writing_and_appending_agree(string place)
    {
        Skip.If(place[0] == '/' && !File.Exists(place), $"{place} is not here");
        Skip.If(place == "/proc/version", "it is not for writing");
        byte[] bytes = Bytes.Pattern(5000);
        string text = new string('x', 700) + "grün\uD83D\uDE00\n" + new string('ß', 3000);
        CancellationToken none = CancellationToken.None;
        await CompareAsync(place, p => Did(() => File.WriteAllBytes(p, bytes)), p => Did(() => SluiceFile.WriteAllBytes(p, bytes)));
        await CompareAsync(place, p => Did(() => File.WriteAllBytes(p, bytes.AsSpan())), p =>
            Did(() => SluiceFile.WriteAllBytes(p, bytes.AsSpan())));
        await CompareAsync(place, p => File.WriteAllBytesAsync(p, bytes), p => SluiceFile.WriteAllBytesAsync(p, bytes));
        await CompareAsync(place, p => File.WriteAllBytesAsync(p, bytes.AsMemory(1, 9)), p =>
            SluiceFile.WriteAllBytesAsync(p, bytes.AsMemory(1, 9)));
        await CompareAsync(place, p => File.WriteAllBytesAsync(p, (byte[])null!), p => SluiceFile.WriteAllBytesAsync(p, (byte[])null!));
        await CompareAsync(place, p => File.AppendAllBytesAsync(p, (byte[])null!), p => SluiceFile.AppendAllBytesAsync(p, (byte[])null!));
        await CompareAsync(place, p => Did(() => File.AppendAllBytes(p, bytes)), p => Did(() => SluiceFile.AppendAllBytes(p, bytes)));
        await CompareAsync(place, p => File.AppendAllBytesAsync(p, bytes), p => SluiceFile.AppendAllBytesAsync(p, bytes));
        await CompareAsync(place, p => File.AppendAllBytesAsync(p, ReadOnlyMemory<byte>.Empty), p =>
            SluiceFile.AppendAllBytesAsync(p, ReadOnlyMemory<byte>.Empty));
        foreach (string? contents in (string?[])[text, "", null, "lone \uD83D surrogate", "half at the end \uD83D"])
        {
            await CompareAsync(place, p => Did(() => File.WriteAllText(p, contents)), p => Did(() => SluiceFile.WriteAllText(p, contents)));
            await CompareAsync(place, p => File.WriteAllTextAsync(p, contents), p => SluiceFile.WriteAllTextAsync(p, contents));
            await CompareAsync(place, p => File.WriteAllTextAsync(p, contents.AsMemory()), p =>
                SluiceFile.WriteAllTextAsync(p, contents.AsMemory()));
            await CompareAsync(place, p => Did(() => File.AppendAllText(p, contents)), p =>
                Did(() => SluiceFile.AppendAllText(p, contents)));
            await CompareAsync(place, p => File.AppendAllTextAsync(p, contents), p => SluiceFile.AppendAllTextAsync(p, contents));
        }

        await CompareAsync(place, p => File.WriteAllLinesAsync(p, Lines), p => SluiceFile.WriteAllLinesAsync(p, Lines));
        await CompareAsync(place, p => File.WriteAllLinesAsync(p, null!), p => SluiceFile.WriteAllLinesAsync(p, null!));
        await CompareAsync(place, p => Did(() => File.WriteAllLines(p, Lines)), p => Did(() => SluiceFile.WriteAllLines(p, Lines)));
        await CompareAsync(place, p => File.AppendAllLinesAsync(p, Lines), p => SluiceFile.AppendAllLinesAsync(p, Lines));
        await CompareAsync(place, p => Did(() => File.AppendAllLines(p, Lines)), p => Did(() => SluiceFile.AppendAllLines(p, Lines)));
        foreach (Encoding encoding in Encodings)
        {
            await CompareAsync(place, p => File.WriteAllTextAsync(p, text, encoding), p => SluiceFile.WriteAllTextAsync(p, text, encoding));
            await CompareAsync(place, p => File.AppendAllTextAsync(p, text, encoding, none), p =>
                SluiceFile.AppendAllTextAsync(p, text, encoding, none));
            await CompareAsync(place, p => File.WriteAllLinesAsync(p, Lines, encoding), p =>
                SluiceFile.WriteAllLinesAsync(p, Lines, encoding));
            await CompareAsync(place, p => File.AppendAllLinesAsync(p, Lines, encoding), p =>
                SluiceFile.AppendAllLinesAsync(p, Lines, encoding));
        }
    }

    [Fact]
    public async Task Missing_encodings_and_cancelled_tokens_agree()
    {
        CancellationToken cancelled = new(canceled: true);
        await CompareAsync("text", async p => await File.ReadAllTextAsync(p, null!), async p =>
            await SluiceFile.ReadAllTextAsync(p, null!));
        await CompareAsync("text", p => File.WriteAllTextAsync(p, "x", (Encoding)null!), p =>
            SluiceFile.WriteAllTextAsync(p, "x", (Encoding)null!));
        await CompareAsync("text", async p => await File.ReadAllBytesAsync(p, cancelled), async p =>
            await SluiceFile.ReadAllBytesAsync(p, cancelled));
        await CompareAsync("text", async p => await File.ReadAllTextAsync(p, cancelled), async p =>
            await SluiceFile.ReadAllTextAsync(p, cancelled));
        await CompareAsync("text", async p => await File.ReadAllLinesAsync(p, cancelled), async p =>
            await SluiceFile.ReadAllLinesAsync(p, cancelled));
        await CompareAsync("text", async p => await ToArrayAsync(File.ReadLinesAsync(p, cancelled)), async p =>
            await ToArrayAsync(SluiceFile.ReadLinesAsync(p, cancelled)));
        await CompareAsync("text", p => File.WriteAllBytesAsync(p, [1], cancelled), p => SluiceFile.WriteAllBytesAsync(p, [1], cancelled));
        await CompareAsync("text", p => File.AppendAllTextAsync(p, "x", cancelled), p => SluiceFile.AppendAllTextAsync(p, "x", cancelled));
        await CompareAsync("text", p => File.WriteAllLinesAsync(p, Lines, cancelled), p =>
            SluiceFile.WriteAllLinesAsync(p, Lines, cancelled));
    }

    [Fact]
    public async Task Lines_can_be_enumerated_twice_and_abandoned()
    {
        string path = _temp.NewFile("a\nb\nc"u8);
        IAsyncEnumerable<string> lines = SluiceFile.ReadLinesAsync(path);
        (await ToArrayAsync(lines)).ShouldBe(["a", "b", "c"]);
        (await ToArrayAsync(lines)).ShouldBe(["a", "b", "c"]);
        await foreach (string line in lines)
        {
            line.ShouldBe("a");
            break;
        }
    }

    [Fact]
    public void Copy_move_and_replace_agree()
    {
        foreach (string from in (string[])["text", "missing", "folder", "no folder"])
        {
            foreach (string to in (string[])["text", "missing", "folder", "no folder", "empty"])
            {
                foreach (bool overwrite in (bool[])[false, true])
                {
                    ComparePair(from, to, (a, b) => File.Copy(a, b, overwrite), (a, b) => SluiceFile.Copy(a, b, overwrite));
                    ComparePair(from, to, (a, b) => File.Move(a, b, overwrite), (a, b) => SluiceFile.Move(a, b, overwrite));
                    ComparePair(from, to, (a, b) => File.Replace(a, b, overwrite ? b + ".old" : null), (a, b) =>
                        SluiceFile.Replace(a, b, overwrite ? b + ".old" : null));
                }
            }
        }
    }

    [Fact]
    public void What_others_may_do_with_an_open_file_agrees()
    {
        (string Name, Func<string, IDisposable> DotNet, Func<string, IDisposable> Sluice)[] openers =
        [
            ("Create", File.Create, SluiceFile.Create),
            ("Create, buffer", p => File.Create(p, 10), p => SluiceFile.Create(p, 10)),
            ("Create, options", p => File.Create(p, 10, FileOptions.Asynchronous), p => SluiceFile.Create(p, 10, FileOptions.Asynchronous)),
            ("Open", p => File.Open(p, FileMode.Open), p => SluiceFile.Open(p, FileMode.Open)),
            ("Open, access", p => File.Open(p, FileMode.Open, FileAccess.Read), p => SluiceFile.Open(p, FileMode.Open, FileAccess.Read)),
            ("Open, options", p => File.Open(p, new FileStreamOptions()), p => SluiceFile.Open(p, new FileStreamOptions())),
            ("OpenRead", File.OpenRead, SluiceFile.OpenRead),
            ("OpenWrite", File.OpenWrite, SluiceFile.OpenWrite),
            ("OpenText", File.OpenText, SluiceFile.OpenText),
            ("CreateText", File.CreateText, SluiceFile.CreateText),
            ("AppendText", File.AppendText, SluiceFile.AppendText),
            ("OpenHandle", p => File.OpenHandle(p), p => SluiceFile.OpenHandle(p)),
        ];
        foreach ((string name, Func<string, IDisposable> dotNet, Func<string, IDisposable> sluice) in openers)
        {
            Meanwhile(sluice).ShouldBe(Meanwhile(dotNet), name);
        }

        string Meanwhile(Func<string, IDisposable> open)
        {
            string path = _temp.NewFile(10);
            using IDisposable held = open(path);
            return string.Join(", ", new[] { FileAccess.Read, FileAccess.Write }.Select(access =>
                Record.Exception(() => File.Open(path, FileMode.Open, access, FileShare.ReadWrite).Dispose())?.GetType().Name ?? "free"));
        }
    }

    [SkippableTheory]
    [MemberData(nameof(Places))]
    public async Task Opening_agrees(string place)
    {
        Skip.If(place[0] == '/', "streams on devices have tests of their own");
        foreach (FileMode mode in Enum.GetValues<FileMode>())
        {
            await CompareAsync(place, p => Use(File.Open(p, mode)), p => Use(SluiceFile.Open(p, mode)));
            foreach (FileAccess access in Enum.GetValues<FileAccess>())
            {
                await CompareAsync(place, p => Use(File.Open(p, mode, access)), p => Use(SluiceFile.Open(p, mode, access)));
                await CompareAsync(place, p => Use(File.Open(p, mode, access, FileShare.ReadWrite)), p =>
                    Use(SluiceFile.Open(p, mode, access, FileShare.ReadWrite)));
            }
        }

        FileStreamOptions options = new() { Mode = FileMode.OpenOrCreate, Access = FileAccess.ReadWrite, BufferSize = 3 };
        await CompareAsync(place, p => Use(File.Open(p, options)), p => Use(SluiceFile.Open(p, options)));
        await CompareAsync(place, p => Use(File.Open(p, options)), p => Use(SluiceFile.Open(p, (SluiceOptions)options)));
        await CompareAsync(place, p => Use(File.Create(p)), p => Use(SluiceFile.Create(p)));
        await CompareAsync(place, p => Use(File.Create(p, 100)), p => Use(SluiceFile.Create(p, 100)));
        await CompareAsync(place, p => Use(File.Create(p, 1, FileOptions.DeleteOnClose)), p =>
            Use(SluiceFile.Create(p, 1, FileOptions.DeleteOnClose)));
        await CompareAsync(place, p => Use(File.OpenRead(p)), p => Use(SluiceFile.OpenRead(p)));
        await CompareAsync(place, p => Use(File.OpenWrite(p)), p => Use(SluiceFile.OpenWrite(p)));
        await CompareAsync(place, p => Done(Read(File.OpenText(p))), p => Done(Read(SluiceFile.OpenText(p))));
        await CompareAsync(place, p => Did(() => Write(File.CreateText(p))), p => Did(() => Write(SluiceFile.CreateText(p))));
        await CompareAsync(place, p => Did(() => Write(File.AppendText(p))), p => Did(() => Write(SluiceFile.AppendText(p))));
        await CompareAsync(place, p => Done(Length(File.OpenHandle(p))), p => Done(Length(SluiceFile.OpenHandle(p).SafeFileHandle)));

        static Task<object?> Use(Stream opened) => Done(Describe(opened));

        static object Describe(Stream opened)
        {
            using Stream stream = opened;
            long position = stream.CanSeek ? stream.Position : -1;
            if (stream.CanWrite)
            {
                stream.Write("written"u8);
            }

            return (stream.CanRead, stream.CanWrite, stream.CanSeek, position, stream.CanSeek ? stream.Length : -1);
        }

        static string Read(StreamReader reader)
        {
            using (reader)
            {
                return reader.ReadToEnd() + reader.CurrentEncoding.WebName;
            }
        }

        static void Write(StreamWriter writer)
        {
            using (writer)
            {
                writer.Write("grün");
            }
        }

        static long Length(Microsoft.Win32.SafeHandles.SafeFileHandle handle)
        {
            using (handle)
            {
                return RandomAccess.GetLength(handle);
            }
        }
    }

    private static async Task<T[]> ToArrayAsync<T>(IAsyncEnumerable<T> items)
    {
        List<T> list = [];
        await foreach (T item in items)
        {
            list.Add(item);
        }

        return [.. list];
    }

    private static Task<object?> Done(object? result) => Task.FromResult(result);

    private static Task Did(Action action)
    {
        action();
        return Task.CompletedTask;
    }

    private Task CompareAsync(string place, Func<string, Task> dotNet, Func<string, Task> sluice,
        [System.Runtime.CompilerServices.CallerArgumentExpression(nameof(sluice))] string call = "") =>
        CompareAsync(place, Wrap(dotNet), Wrap(sluice), call);

    private static Func<string, Task<object?>> Wrap(Func<string, Task> call) => async path =>
    {
        await call(path);
        return null;
    };

    private async Task CompareAsync(
        string place, Func<string, Task<object?>> dotNet, Func<string, Task<object?>> sluice,
        [System.Runtime.CompilerServices.CallerArgumentExpression(nameof(sluice))] string call = "")
    {
        (object? Result, byte[]? Content) expected = await RunAsync(place, dotNet);
        (object? Result, byte[]? Content) actual = await RunAsync(place, sluice);
        string what = $"{call} on {place}";
        switch (actual.Result, expected.Result)
        {
            case (byte[] bytes, byte[] expectedBytes):
                bytes.ShouldBe(expectedBytes, what);
                break;
            case (string[] lines, string[] expectedLines):
                lines.ShouldBe(expectedLines, what);
                break;
            default:
                actual.Result.ShouldBe(expected.Result, what);
                break;
        }

        actual.Content.ShouldBe(expected.Content, what);
    }

    private async Task<(object? Result, byte[]? Content)> RunAsync(string place, Func<string, Task<object?>> call)
    {
        string? path = MakePlace(place);
        object? result;
        using (FileStream? _ = place == "locked" ? new FileStream(path!, FileMode.Open, FileAccess.ReadWrite, FileShare.None) : null)
        {
            try
            {
                result = await call(path!);
            }
            catch (Exception e)
            {
                result = e is OperationCanceledException ? typeof(OperationCanceledException) : e.GetType();
            }
        }

        return (result, path?.StartsWith(_temp.Root, StringComparison.Ordinal) == true && File.Exists(path) ? File.ReadAllBytes(path)
            : null);
    }

    private string? MakePlace(string place)
    {
        switch (place)
        {
            case "nothing":
                return "";
            case "NUL inside":
                return "a\0b";
            case "no folder":
                return Path.Combine(_temp.NewPath(), "in", "here");
            case "folder":
                return Directory.CreateDirectory(_temp.NewPath()).FullName;
            case "locked":
                return _temp.NewFile(10);
            default:
                if (place[0] == '/')
                {
                    return place;
                }

                return Contents[place] is { } content ? _temp.NewFile(content) : _temp.NewPath();
        }
    }

    private void ComparePair(string from, string to, Action<string, string> dotNet, Action<string, string> sluice)
    {
        string?[] expected = RunPair(dotNet);
        RunPair(sluice).ShouldBe(expected, $"{from} to {to}");

        string?[] RunPair(Action<string, string> call)
        {
            (string a, string b) = (MakePlace(from)!, MakePlace(to)!);
            string? error = null;
            try
            {
                call(a, b);
            }
            catch (Exception e)
            {
                error = e.GetType().Name;
            }

            return [error, Text(a), Text(b), Text(b + ".old")];
        }

        static string? Text(string path) => File.Exists(path) ? Convert.ToHexString(File.ReadAllBytes(path)) : null;
    }
}
