using Sluice.Cli.Load;

namespace Sluice.Cli.Programs.Methods;

/// <summary>FileStream 1 to 3: synchronous, the whole file into an array or in blocks that are parsed.</summary>
internal static class FileStreamReadMethods
{
    public static IReadOnlyList<Method> All { get; } =
    [
        Method.Reading("FileStream1.Read", IoSide.Bcl, ResultKind.Bytes, i => ReadAll(i, FileOptions.SequentialScan)),
        Method.Reading("FileStream2.Read parsing", IoSide.Bcl, ResultKind.Lines, ReadAllAndParse),
        Method.Reading("FileStream2A.Read parsing blocks", IoSide.Bcl, ResultKind.Lines, ParseBlocks),
        Method.Reading("FileStream3.Read(RandomAccess)", IoSide.Bcl, ResultKind.Bytes, i => ReadAll(i, FileOptions.RandomAccess)),
    ];

    public static FileStream Open(string path, FileOptions options) =>
        new(path, FileMode.Open, FileAccess.Read, FileShare.Read, MethodInput.BlockSize, options);

    /// <summary>As much as the array holds, or the file.</summary>
    public static MethodResult Fill(Stream file, byte[] bytes) =>
        MethodResult.Bytes(bytes.AsMemory(0, file.ReadAtLeast(bytes, bytes.Length, false)));

    private static MethodResult ReadAll(MethodInput input, FileOptions options)
    {
        using FileStream file = Open(input.Path, options);
        return Fill(file, input.Bytes);
    }

    private static MethodResult ReadAllAndParse(MethodInput input)
    {
        using FileStream file = Open(input.Path, FileOptions.SequentialScan);
        int total = file.ReadAtLeast(input.Bytes, input.Bytes.Length, throwOnEndOfStream: false);
        return Parse(input, parser => parser.Feed(input.Bytes.AsSpan(0, total)));
    }

    private static MethodResult ParseBlocks(MethodInput input) => Parse(input, parser =>
    {
        using FileStream file = Open(input.Path, FileOptions.SequentialScan);
        byte[] block = new byte[MethodInput.BlockSize];
        int got;
        while ((got = file.Read(block, 0, block.Length)) > 0)
            parser.Feed(block.AsSpan(0, got));
    });

    private static MethodResult Parse(MethodInput input, Action<LineParser<byte>> feed)
    {
        Checksum sum = input.NewSum();
        LineParser<byte> parser = LineParsing.OfBytes(sum);
        feed(parser);
        parser.End();
        return MethodResult.Lines(sum);
    }
}
