using System.Text;
using Sluice.Cli.Load;

namespace Sluice.Cli.Programs.Methods;

/// <summary>The static methods that write a file in one call, and the writers of text.</summary>
internal static class FileWriteMethods
{
    public static IReadOnlyList<Method> All { get; } =
    [
        Method.Writing("File.WriteAllLines", IoSide.Bcl, ResultKind.Lines, i => File.WriteAllLines(i.Path, i.Sample.Lines)),
        Method.Writing("File.WriteAllText", IoSide.Bcl, ResultKind.Text, i => File.WriteAllText(i.Path, i.Sample.Text)),
        Method.Writing("File.WriteAllBytes", IoSide.Bcl, ResultKind.Bytes, i => File.WriteAllBytes(i.Path, i.Sample.Content)),
        Method.Writing("BinaryWriter.Write", IoSide.Bcl, ResultKind.Text, WriteWithBinaryWriter),
        Method.Writing("StreamWriter1.Write", IoSide.Bcl, ResultKind.Text, WriteWithStreamWriter),
    ];

    private static void WriteWithBinaryWriter(MethodInput input)
    {
        using var writer = new BinaryWriter(new FileStream(input.Path, FileMode.Create, FileAccess.Write));
        writer.Write(input.Sample.Chars);
    }

    private static void WriteWithStreamWriter(MethodInput input)
    {
        using var writer = new StreamWriter(input.Path, append: false, Encoding.ASCII, MethodInput.BlockSize);
        writer.Write(input.Sample.Chars);
    }
}
