using Sluice.Cli.Load;

namespace Sluice.Cli.Programs.Methods;

/// <summary>FileStream 1 to 3: the array in one call, in pieces of 4,096 bytes through the stream's buffer, in pieces of 65,536.</summary>
internal static class FileStreamWriteMethods
{
    private const int SmallPiece = 4096;

    public static IReadOnlyList<Method> All { get; } =
    [
        Method.Writing("FileStream1.Write", IoSide.Bcl, ResultKind.Bytes, i => Write(i, i.Sample.SizeBytes)),
        Method.Writing("FileStream2.Write 4,096", IoSide.Bcl, ResultKind.Bytes, i => Write(i, SmallPiece)),
        Method.Writing("FileStream3.Write 65,536", IoSide.Bcl, ResultKind.Bytes, i => Write(i, MethodInput.BlockSize)),
    ];

    public static FileStream Create(string path) =>
        new(path, FileMode.Create, FileAccess.Write, FileShare.None, MethodInput.BlockSize, FileOptions.SequentialScan);

    public static void WriteInPieces(Stream file, byte[] content, int pieceBytes)
    {
        for (int at = 0; at < content.Length; at += pieceBytes)
            file.Write(content, at, Math.Min(pieceBytes, content.Length - at));
    }

    private static void Write(MethodInput input, int pieceBytes)
    {
        using FileStream file = Create(input.Path);
        WriteInPieces(file, input.Sample.Content, pieceBytes);
    }
}
