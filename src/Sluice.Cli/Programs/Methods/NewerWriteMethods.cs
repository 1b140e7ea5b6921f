using System.IO.MemoryMappedFiles;
using System.IO.Pipelines;
using Microsoft.Win32.SafeHandles;
using Sluice.Cli.Load;

namespace Sluice.Cli.Programs.Methods;

/// <summary>What .NET has got since the article.</summary>
internal static class NewerWriteMethods
{
    public static IReadOnlyList<Method> All { get; } =
    [
        Method.Writing("File.WriteAllBytesAsync", IoSide.Bcl, ResultKind.Bytes,
            i => File.WriteAllBytesAsync(i.Path, i.Sample.Content).GetAwaiter().GetResult()),
        Method.Writing("RandomAccess.Write", IoSide.Bcl, ResultKind.Bytes, WriteAtOffset),
        Method.Writing("FileStream.WriteAsync 65,536", IoSide.Bcl, ResultKind.Bytes, i => WriteAsync(i).GetAwaiter().GetResult()),
        Method.Writing("MemoryMappedFile", IoSide.Bcl, ResultKind.Bytes, WriteMapped),
        Method.Writing("PipeWriter 65,536", IoSide.Bcl, ResultKind.Bytes, i => WritePipe(i, OpenPipe(i)).GetAwaiter().GetResult()),
    ];

    public static async Task WritePipe(MethodInput input, PipeWriter pipe)
    {
        byte[] content = input.Sample.Content;
        for (int at = 0; at < content.Length; at += MethodInput.BlockSize)
            await pipe.WriteAsync(content.AsMemory(at, Math.Min(MethodInput.BlockSize, content.Length - at)));
        await pipe.CompleteAsync();
    }

    private static PipeWriter OpenPipe(MethodInput input) => PipeWriter.Create(
        new FileStream(input.Path, FileMode.Create, FileAccess.Write, FileShare.None, bufferSize: 0, useAsync: true));

    private static void WriteAtOffset(MethodInput input)
    {
        using SafeFileHandle file = File.OpenHandle(input.Path, FileMode.Create, FileAccess.Write);
        RandomAccess.Write(file, input.Sample.Content, 0);
    }

    private static async Task WriteAsync(MethodInput input)
    {
        byte[] content = input.Sample.Content;
        await using var file = new FileStream(input.Path, FileMode.Create, FileAccess.Write, FileShare.None, bufferSize: 0, useAsync: true);
        for (int at = 0; at < content.Length; at += MethodInput.BlockSize)
            await file.WriteAsync(content.AsMemory(at, Math.Min(MethodInput.BlockSize, content.Length - at)));
    }

    private static void WriteMapped(MethodInput input)
    {
        // Without space reserved, a full disk would be a signal in the middle of the copying, which ends the process.
        using var stream = new FileStream(
            input.Path, new FileStreamOptions
            {
                Mode = FileMode.Create,
                Access = FileAccess.ReadWrite,
                PreallocationSize = input.Sample.SizeBytes,
            });
        using MemoryMappedFile file = MemoryMappedFile.CreateFromFile(
            stream, mapName: null, input.Sample.SizeBytes, MemoryMappedFileAccess.ReadWrite, HandleInheritability.None, leaveOpen: true);
        using MemoryMappedViewAccessor view = file.CreateViewAccessor(0, input.Sample.SizeBytes, MemoryMappedFileAccess.Write);
        view.WriteArray(0, input.Sample.Content, 0, input.Sample.SizeBytes);
    }
}
