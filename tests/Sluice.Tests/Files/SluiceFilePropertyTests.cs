using System.Text;
using FsCheck;
using FsCheck.Fluent;

namespace Sluice.Tests.Files;

/// <summary>Random bytes and random text, compared with <see cref="File"/>.</summary>
public sealed class SluiceFilePropertyTests : IDisposable
{
    // Few byte values: line ends, pieces of marks and of UTF-8 sequences meet each other often.
    private static readonly byte[] Letters =
        [0x41, 0x0A, 0x0D, 0xC3, 0xA4, 0xE2, 0x82, 0xAC, 0xF0, 0x9F, 0xEF, 0xBB, 0xBF, 0xFE, 0xFF, 0x00];
    private static readonly char[] Characters = ['a', '\n', '\r', 'ä', '€', '\uD83D', '\uDE00', '\uFEFF'];
    private static readonly Encoding[] Encodings =
        [Encoding.UTF8, Encoding.Unicode, Encoding.BigEndianUnicode, Encoding.UTF32, Encoding.Latin1];

    private readonly TempFolder _temp = new();

    public void Dispose() => _temp.Dispose();

    [Fact]
    public void Any_bytes_read_as_the_same_text_and_lines()
    {
        Gen<byte[]> bytes = from length in Gen.OneOf(Gen.Choose(0, 12), Gen.Choose(100, 700))
                            from letters in Gen.Elements(Letters).ArrayOf(length)
                            select letters;
        string path = _temp.NewPath();
        Prop.ForAll(bytes.ToArbitrary(), Gen.Elements(Encodings).ToArbitrary(), (content, encoding) =>
        {
            File.WriteAllBytes(path, content);
            string[] lines = File.ReadAllLines(path, encoding);
            SluiceFile.ReadAllText(path, encoding).ShouldBe(File.ReadAllText(path, encoding));
            SluiceFile.ReadAllTextAsync(path, encoding).GetAwaiter().GetResult().ShouldBe(File.ReadAllText(path, encoding));
            SluiceFile.ReadAllLines(path, encoding).ShouldBe(lines);
            SluiceFile.ReadAllLinesAsync(path, encoding).GetAwaiter().GetResult().ShouldBe(lines);
            Collect(SluiceFile.ReadLinesAsync(path, encoding)).ShouldBe(lines);
            SluiceFile.ReadAllBytesAsync(path).GetAwaiter().GetResult().ShouldBe(content);
        }).Check(Config.QuickThrowOnFailure.WithMaxTest(500));
    }

    [Fact]
    public void Any_text_is_written_as_the_same_bytes()
    {
        Gen<string> texts = from length in Gen.OneOf(Gen.Choose(0, 8), Gen.Choose(100, 900))
                            from characters in Gen.Elements(Characters).ArrayOf(length)
                            select new string(characters);
        (string a, string b) = (_temp.NewPath(), _temp.NewPath());
        Prop.ForAll(texts.ToArbitrary(), texts.ToArbitrary(), Gen.Elements(Encodings).ToArbitrary(), (first, second, encoding) =>
        {
            File.WriteAllText(a, first, encoding);
            SluiceFile.WriteAllTextAsync(b, first, encoding).GetAwaiter().GetResult();
            File.ReadAllBytes(b).ShouldBe(File.ReadAllBytes(a));
            File.AppendAllText(a, second, encoding);
            SluiceFile.AppendAllTextAsync(b, second, encoding).GetAwaiter().GetResult();
            File.ReadAllBytes(b).ShouldBe(File.ReadAllBytes(a));
            File.WriteAllLines(a, [first, second], encoding);
            SluiceFile.WriteAllLinesAsync(b, [first, second], encoding).GetAwaiter().GetResult();
            File.ReadAllBytes(b).ShouldBe(File.ReadAllBytes(a));
        }).Check(Config.QuickThrowOnFailure.WithMaxTest(300));
    }

    private static List<string> Collect(IAsyncEnumerable<string> lines)
    {
        List<string> list = [];
        IAsyncEnumerator<string> enumerator = lines.GetAsyncEnumerator();
        while (enumerator.MoveNextAsync().AsTask().GetAwaiter().GetResult())
        {
            list.Add(enumerator.Current);
        }

        enumerator.DisposeAsync().AsTask().GetAwaiter().GetResult();
        return list;
    }
}
