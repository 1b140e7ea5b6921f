using System.Text;
using Sluice.Cli.Load;

namespace Sluice.Cli.Programs.Methods;

/// <summary>The same by Sluice.</summary>
internal static class SluiceWriteMethods
{
    public static IReadOnlyList<Method> All { get; } =
    [
        Method.Writing("SluiceFile.WriteAllBytes", IoSide.Sluice, ResultKind.Bytes,
            i => SluiceFile.WriteAllBytes(i.Path, i.Sample.Content)),
        Method.Writing("SluiceStream.Write", IoSide.Sluice, ResultKind.Bytes, i => WriteStream(i, i.Sample.SizeBytes)),
        Method.Writing("SluiceStream.Write 4,096", IoSide.Sluice, ResultKind.Bytes, i => WriteStream(i, 4096)),
        Method.Writing("SluiceStream.Write 65,536", IoSide.Sluice, ResultKind.Bytes, i => WriteStream(i, MethodInput.BlockSize)),
        Method.Writing("SluiceHandle.Write", IoSide.Sluice, ResultKind.Bytes, WriteHandle),
        Method.Writing("SluiceWriter.Write 65,536", IoSide.Sluice, ResultKind.Bytes, i => WriteBlocks(i, FileCaching.Cached)),
        Method.Writing("SluiceWriter.Write 65,536 direct", IoSide.Sluice, ResultKind.Bytes, i => WriteBlocks(i, FileCaching.Direct)),
        Method.Writing("SluiceWriter.AsPipeWriter 65,536", IoSide.Sluice, ResultKind.Bytes,
            i => NewerWriteMethods.WritePipe(i, new SluiceWriter(i.Path).AsPipeWriter()).GetAwaiter().GetResult()),
        Method.Writing("SluiceFile.WriteAllText", IoSide.Sluice, ResultKind.Text, i => SluiceFile.WriteAllText(i.Path, i.Sample.Text)),
        Method.Writing("SluiceFile.WriteAllLines", IoSide.Sluice, ResultKind.Lines, i => SluiceFile.WriteAllLines(i.Path, i.Sample.Lines)),
        Method.Writing("SluiceWriter lines, encoded in place", IoSide.Sluice, ResultKind.Lines, WriteLines),
    ];

    private static void WriteStream(MethodInput input, int pieceBytes)
    {
        using var file = new SluiceStream(input.Path, FileMode.Create, FileAccess.Write);
        FileStreamWriteMethods.WriteInPieces(file, input.Sample.Content, pieceBytes);
    }

    private static void WriteHandle(MethodInput input)
    {
        using SluiceHandle file = SluiceHandle.Open(input.Path, FileMode.Create, FileAccess.Write);
        file.Write(input.Sample.Content, 0);
    }

    private static void WriteBlocks(MethodInput input, FileCaching caching)
    {
        using var writer = new SluiceWriter(input.Path, new SluiceWriterOptions { Caching = caching });
        ReadOnlySpan<byte> rest = input.Sample.Content;
        while (!rest.IsEmpty)
        {
            ReadOnlySpan<byte> block = rest[..Math.Min(MethodInput.BlockSize, rest.Length)];
            writer.Write(block);
            rest = rest[block.Length..];
        }
    }

    private static void WriteLines(MethodInput input)
    {
        using var writer = new SluiceWriter(input.Path);
        foreach (string line in input.Sample.Lines)
        {
            Span<byte> room = writer.GetSpan(Encoding.UTF8.GetMaxByteCount(line.Length) + Environment.NewLine.Length);
            int bytes = Encoding.UTF8.GetBytes(line, room);
            bytes += Encoding.UTF8.GetBytes(Environment.NewLine, room[bytes..]);
            writer.Advance(bytes);
        }
    }
}
