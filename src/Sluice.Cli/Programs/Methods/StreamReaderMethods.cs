using System.Text;
using Sluice.Cli.Load;

namespace Sluice.Cli.Programs.Methods;

/// <summary>StreamReader 1 to 7: with its own buffer and with one of 64 KiB, at once, in pieces, by line.</summary>
internal static class StreamReaderMethods
{
    public static IReadOnlyList<Method> All { get; } =
    [
        Text("StreamReader1.Read", i => new StreamReader(i.Path), (reader, i) => FileReadMethods.Fill(i.Chars, reader.Read)),
        Text("StreamReader2.Read(large buf)", Large, (reader, i) => FileReadMethods.Fill(i.Chars, reader.Read)),
        Text("StreamReader3.ReadBlock", Large, (reader, i) =>
            MethodResult.Text(i.Chars.AsMemory(0, reader.ReadBlock(i.Chars, 0, i.Chars.Length)))),
        Text("StreamReader4.ReadToEnd", Large, ReadToEnd),
        Text("StreamReader5.Read multiple", Large, ReadUntilPeek),
        Lines("StreamReader6.ReadLine", ReadLines),
        Lines("StreamReader7.Read parsing", Parse),
    ];

    /// <summary>With a buffer of 64 KiB, as the article has it.</summary>
    public static StreamReader Large(MethodInput input) =>
        new(input.Path, Encoding.UTF8, detectEncodingFromByteOrderMarks: true, MethodInput.BlockSize);

    private static Method Text(string name, Func<MethodInput, StreamReader> open, Func<StreamReader, MethodInput, MethodResult> read) =>
        Method.Reading(name, IoSide.Bcl, ResultKind.Text, input =>
        {
            using StreamReader reader = open(input);
            return read(reader, input);
        });

    private static Method Lines(string name, Action<StreamReader, Checksum> read) =>
        Method.Reading(name, IoSide.Bcl, ResultKind.Lines, input =>
        {
            Checksum sum = input.NewSum();
            using StreamReader reader = Large(input);
            read(reader, sum);
            return MethodResult.Lines(sum);
        });

    private static MethodResult ReadToEnd(StreamReader reader, MethodInput input)
    {
        string text = "";
        while (reader.Peek() >= 0)
            text += reader.ReadToEnd();
        return MethodResult.Text(text.AsMemory());
    }

    private static MethodResult ReadUntilPeek(StreamReader reader, MethodInput input)
    {
        int total = 0;
        while (reader.Peek() >= 0)
            total += reader.Read(input.Chars, total, Math.Min(MethodInput.BlockSize, input.Chars.Length - total));
        return MethodResult.Text(input.Chars.AsMemory(0, total));
    }

    private static void ReadLines(StreamReader reader, Checksum sum)
    {
        while (reader.ReadLine() is { } line)
            sum.AddLine(line);
    }

    private static void Parse(StreamReader reader, Checksum sum)
    {
        LineParser<char> parser = LineParsing.OfChars(sum);
        char[] block = new char[MethodInput.BlockSize];
        int got;
        while ((got = reader.Read(block, 0, block.Length)) > 0)
            parser.Feed(block.AsSpan(0, got));
        parser.End();
    }
}
