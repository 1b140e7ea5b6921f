using System.Reflection;
using System.Text;
using Microsoft.Win32.SafeHandles;

namespace Sluice.Tests.Files;

/// <summary>The same call on <see cref="File"/> and on <see cref="SluiceFile"/>: the same result and file, or the same exception
/// type.</summary>
public sealed class SluiceFileDifferentialTests : IDisposable
{
    private static readonly string[] Lines = ["one", "", "zwölf", "last"];
    private static readonly string Text = new string('x', 700) + "grün\uD83D\uDE00\n" + new string('ß', 3000);

    private static readonly FileStreamOptions Options =
        new() { Mode = FileMode.OpenOrCreate, Access = FileAccess.ReadWrite, BufferSize = 3 };

    private static readonly string[] Openers =
        ["Create", "CreateText", "AppendText", "Open", "OpenRead", "OpenWrite", "OpenText", "OpenHandle"];

    /// <summary>Arguments for each type of parameter after the path.</summary>
    private static readonly Dictionary<Type, object?[]> Values = new()
    {
        [typeof(byte[])] = [Bytes.Pattern(5000), null],
        [typeof(ReadOnlyMemory<byte>)] = [new ReadOnlyMemory<byte>(Bytes.Pattern(9)), default(ReadOnlyMemory<byte>)],
        [typeof(string)] = [Text, "", null, "lone \uD83D surrogate", "half at the end \uD83D"],
        [typeof(ReadOnlyMemory<char>)] = [Text.AsMemory()],
        [typeof(string[])] = [Lines, null],
        [typeof(IEnumerable<string>)] = [Lines, null],
        [typeof(Encoding)] =
            [Encoding.UTF8, Encoding.Unicode, Encoding.BigEndianUnicode, Encoding.UTF32, Encoding.Latin1, Encoding.ASCII, null],
        [typeof(CancellationToken)] = [CancellationToken.None, new CancellationToken(canceled: true)],
        [typeof(FileMode)] = [.. Enum.GetValues<FileMode>().Cast<object>()],
        [typeof(FileAccess)] = [.. Enum.GetValues<FileAccess>().Cast<object>()],
        [typeof(FileShare)] = [FileShare.ReadWrite],
        [typeof(FileOptions)] = [FileOptions.None, FileOptions.DeleteOnClose],
        [typeof(FileStreamOptions)] = [Options],
        [typeof(int)] = [1, 100],
        [typeof(long)] = [0L],
    };

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
        foreach ((string name, Func<string, object?> dotNet, Func<string, object?> sluice)
            in Calls(static n => n.StartsWith("Read", StringComparison.Ordinal)))
        {
            await CompareAsync(place, name, dotNet, sluice);
        }
    }

    [SkippableTheory]
    [MemberData(nameof(Places))]
    public async Task Writing_and_appending_agree(string place)
    {
        Skip.If(place[0] == '/' && !File.Exists(place), $"{place} is not here");
        Skip.If(place == "/proc/version", "it is not for writing");
        foreach ((string name, Func<string, object?> dotNet, Func<string, object?> sluice)
            in Calls(static n => n.Contains("All", StringComparison.Ordinal) && !n.StartsWith("Read", StringComparison.Ordinal)))
        {
            await CompareAsync(place, name, dotNet, sluice);
        }

        // A span cannot be passed by reflection.
        byte[] bytes = Bytes.Pattern(5000);
        (Action<string> DotNet, Action<string> Sluice)[] spans =
        [
            (p => File.WriteAllBytes(p, bytes.AsSpan()), p => SluiceFile.WriteAllBytes(p, bytes.AsSpan())),
            (p => File.AppendAllBytes(p, bytes.AsSpan()), p => SluiceFile.AppendAllBytes(p, bytes.AsSpan())),
            (p => File.WriteAllText(p, Text.AsSpan()), p => SluiceFile.WriteAllText(p, Text.AsSpan())),
            (p => File.AppendAllText(p, Text.AsSpan()), p => SluiceFile.AppendAllText(p, Text.AsSpan())),
        ];
        foreach ((Action<string> dotNet, Action<string> sluice) in spans)
        {
            await CompareAsync(place, "span", Of(dotNet), Of(sluice));
        }

        static Func<string, object?> Of(Action<string> call) => path =>
        {
            call(path);
            return null;
        };
    }

    [SkippableTheory]
    [MemberData(nameof(Places))]
    public async Task Opening_agrees(string place)
    {
        Skip.If(place[0] == '/', "streams on devices have tests of their own");
        foreach ((string name, Func<string, object?> dotNet, Func<string, object?> sluice)
            in Calls(static n => Openers.Contains(n)))
        {
            await CompareAsync(place, name, dotNet, sluice);
        }

        await CompareAsync(
            place, "SluiceOptions", static p => File.Open(p, Options), static p => SluiceFile.Open(p, (SluiceOptions)Options));
    }

    [Fact]
    public void What_others_may_do_with_an_open_file_agrees()
    {
        foreach ((string name, Func<string, object?> dotNet, Func<string, object?> sluice)
            in Calls(static n => Openers.Contains(n)))
        {
            Meanwhile(sluice).ShouldBe(Meanwhile(dotNet), name);
        }

        string Meanwhile(Func<string, object?> open)
        {
            string path = _temp.NewFile(10);
            IDisposable? held = null;
            string? refused = Record.Exception(() => held = (IDisposable?)open(path))?.GetType().Name;
            using (held)
            {
                return refused ?? string.Join(", ", new[] { FileAccess.Read, FileAccess.Write }.Select(access => Record.Exception(
                    () => File.Open(path, FileMode.Open, access, FileShare.ReadWrite).Dispose())?.GetType().Name ?? "free"));
            }
        }
    }

    [Fact]
    public async Task Lines_can_be_enumerated_twice_and_abandoned()
    {
        string path = _temp.NewFile("a\nb\nc"u8);
        IAsyncEnumerable<string> lines = SluiceFile.ReadLinesAsync(path);
        (await lines.ToArrayAsync()).ShouldBe(["a", "b", "c"]);
        (await lines.ToArrayAsync()).ShouldBe(["a", "b", "c"]);
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

    /// <summary>Each call of the chosen members of File, and of SluiceFile, that <see cref="Values"/> has arguments for.</summary>
    private static IEnumerable<(string Name, Func<string, object?> DotNet, Func<string, object?> Sluice)> Calls(Predicate<string> names)
    {
        foreach (MethodInfo theirs in typeof(File).GetMethods().Where(m => names(m.Name)))
        {
            Type[] types = [.. theirs.GetParameters().Select(static p => p.ParameterType)];
            MethodInfo own = typeof(SluiceFile).GetMethod(theirs.Name, types)!;
            List<object?[]> all = types[0] == typeof(string) && types.Skip(1).All(Values.ContainsKey) ? [[]] : [];
            foreach (Type type in types.Skip(1))
            {
                all = [.. from before in all from value in Values[type] select (object?[])[.. before, value]];
            }

            foreach (object?[] arguments in all)
            {
                string name = $"{theirs.Name}({string.Join(", ", arguments)})";
                yield return (name, path => Invoke(theirs, path, arguments), path => Invoke(own, path, arguments));
            }
        }

        static object? Invoke(MethodInfo method, string path, object?[] arguments) =>
            method.Invoke(null, BindingFlags.DoNotWrapExceptions, binder: null, [path, .. arguments], culture: null);
    }

    private static async Task<object?> ResultAsync(object? returned)
    {
        if (returned is Task task)
        {
            await task;
        }

        return returned switch
        {
            Task<byte[]> bytes => bytes.Result,
            Task<string> text => text.Result,
            Task<string[]> lines => lines.Result,
            Task => null,
            IEnumerable<string> lines => lines.ToArray(),
            IAsyncEnumerable<string> lines => await lines.ToArrayAsync(),
            Stream opened => Describe(opened),
            StreamReader reader => Read(reader),
            StreamWriter writer => Write(writer),
            SafeFileHandle handle => Length(handle),
            SluiceHandle handle => Length(handle.SafeFileHandle),
            _ => returned,
        };

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

        static string Write(StreamWriter writer)
        {
            using (writer)
            {
                writer.Write("grün");
                return writer.Encoding.WebName;
            }
        }

        static long Length(SafeFileHandle handle)
        {
            using (handle)
            {
                return RandomAccess.GetLength(handle);
            }
        }
    }

    private async Task CompareAsync(string place, string name, Func<string, object?> dotNet, Func<string, object?> sluice)
    {
        (object? Result, byte[]? Content) expected = await RunAsync(place, dotNet);
        (object? Result, byte[]? Content) actual = await RunAsync(place, sluice);
        string what = $"{name} on {place}";
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

    private async Task<(object? Result, byte[]? Content)> RunAsync(string place, Func<string, object?> call)
    {
        string? path = MakePlace(place);
        object? result;
        using (FileStream? _ = place == "locked" ? new FileStream(path!, FileMode.Open, FileAccess.ReadWrite, FileShare.None) : null)
        {
            try
            {
                result = await ResultAsync(call(path!));
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
