using Sluice.Cli.Load;

namespace Sluice.Cli.Programs.Methods;

/// <summary>The same by Sluice: what it has for each of .NET's ways, and its sequential reader.</summary>
internal static class SluiceReadMethods
{
    public static IReadOnlyList<Method> All { get; } =
    [
        Method.Reading("SluiceFile.ReadAllBytes", IoSide.Sluice, ResultKind.Bytes,
            i => MethodResult.Bytes(SluiceFile.ReadAllBytes(i.Path))),
        Method.Reading("SluiceStream.Read", IoSide.Sluice, ResultKind.Bytes, ReadStream),
        Method.Reading("SluiceHandle.Read", IoSide.Sluice, ResultKind.Bytes, ReadHandle),
        Method.Reading("SluiceReader.Read", IoSide.Sluice, ResultKind.Bytes, ReadReader),
        Method.Reading("SluiceReader.TryReadBlock, copied", IoSide.Sluice, ResultKind.Bytes, i => ReadBlocks(i, FileCaching.Cached)),
        Method.Reading("SluiceReader.TryReadBlock direct, copied", IoSide.Sluice, ResultKind.Bytes, i => ReadBlocks(i, FileCaching.Direct)),
        Method.Reading("SluiceFile.ReadAllText", IoSide.Sluice, ResultKind.Text,
            i => MethodResult.Text(SluiceFile.ReadAllText(i.Path).AsMemory())),
        Method.Reading("StreamReader over SluiceStream", IoSide.Sluice, ResultKind.Text, ReadText),
        Method.Reading("SluiceFile.ReadAllLines", IoSide.Sluice, ResultKind.Lines,
            i => MethodResult.Lines(SluiceFile.ReadAllLines(i.Path))),
        Method.Reading("SluiceFile.ReadLines", IoSide.Sluice, ResultKind.Lines, i => NewerReadMethods.Sum(i, SluiceFile.ReadLines(i.Path))),
        Method.Reading("SluiceReader.EnumerateLines", IoSide.Sluice, ResultKind.Lines, ReadLines),
        Method.Reading("SluiceReader.ReadStringLines", IoSide.Sluice, ResultKind.Lines, ReadStringLines),
        Method.Reading("SluiceReader.AsPipeReader lines", IoSide.Sluice, ResultKind.Lines,
            i => NewerReadMethods.ReadPipe(i, new SluiceReader(i.Path).AsPipeReader()).GetAwaiter().GetResult()),
    ];

    private static MethodResult ReadStream(MethodInput input)
    {
        using var file = new SluiceStream(input.Path, FileMode.Open, FileAccess.Read);
        return FileStreamReadMethods.Fill(file, input.Bytes);
    }

    private static MethodResult ReadHandle(MethodInput input)
    {
        using SluiceHandle file = SluiceHandle.Open(input.Path);
        return MethodResult.Bytes(input.Bytes.AsMemory(0, file.Read(input.Bytes, 0)));
    }

    private static MethodResult ReadReader(MethodInput input)
    {
        using var reader = new SluiceReader(input.Path);
        return MethodResult.Bytes(input.Bytes.AsMemory(0, reader.Read(input.Bytes)));
    }

    private static MethodResult ReadBlocks(MethodInput input, FileCaching caching)
    {
        using var reader = new SluiceReader(input.Path, new SluiceReaderOptions { Caching = caching });
        int total = 0;
        ReadOnlySpan<byte> block;
        while (reader.TryReadBlock(out block))
        {
            block.CopyTo(input.Bytes.AsSpan(total));
            total += block.Length;
        }
        return MethodResult.Bytes(input.Bytes.AsMemory(0, total));
    }

    private static MethodResult ReadText(MethodInput input)
    {
        using StreamReader reader = SluiceFile.OpenText(input.Path);
        return FileReadMethods.Fill(input.Chars, reader.Read);
    }

    private static MethodResult ReadLines(MethodInput input)
    {
        Checksum sum = input.NewSum();
        using var reader = new SluiceReader(input.Path);
        foreach (ReadOnlySpan<byte> line in reader.EnumerateLines())
            sum.AddLine(line);
        return MethodResult.Lines(sum);
    }

    private static MethodResult ReadStringLines(MethodInput input)
    {
        using var reader = new SluiceReader(input.Path);
        return NewerReadMethods.Sum(input, reader.ReadStringLines());
    }
}
