using System.Buffers;
using System.IO.MemoryMappedFiles;
using System.IO.Pipelines;
using Microsoft.Win32.SafeHandles;
using Sluice.Cli.Load;

namespace Sluice.Cli.Programs.Methods;

/// <summary>What .NET has got since the article: asynchronous methods, RandomAccess, lazy lines, mapped files, pipes.</summary>
internal static class NewerReadMethods
{
    public static IReadOnlyList<Method> All { get; } =
    [
        Method.Reading("File.ReadAllBytesAsync", IoSide.Bcl, ResultKind.Bytes,
            i => MethodResult.Bytes(File.ReadAllBytesAsync(i.Path).GetAwaiter().GetResult())),
        Method.Reading("RandomAccess.Read", IoSide.Bcl, ResultKind.Bytes, ReadAtOffsets),
        Method.Reading("FileStream.ReadAsync", IoSide.Bcl, ResultKind.Bytes, i => ReadAsync(i).GetAwaiter().GetResult()),
        Method.Reading("MemoryMappedFile", IoSide.Bcl, ResultKind.Bytes, ReadMapped),
        Method.Reading("File.ReadLines", IoSide.Bcl, ResultKind.Lines, i => Sum(i, File.ReadLines(i.Path))),
        Method.Reading("PipeReader lines", IoSide.Bcl, ResultKind.Lines, i => ReadPipe(i, OpenPipe(i)).GetAwaiter().GetResult()),
    ];

    public static MethodResult Sum(MethodInput input, IEnumerable<string> lines)
    {
        Checksum sum = input.NewSum();
        foreach (string line in lines)
            sum.AddLine(line);
        return MethodResult.Lines(sum);
    }

    /// <summary>Lines from a pipe, segment by segment.</summary>
    public static async Task<MethodResult> ReadPipe(MethodInput input, PipeReader pipe)
    {
        Checksum sum = input.NewSum();
        LineParser<byte> parser = LineParsing.OfBytes(sum);
        while (true)
        {
            ReadResult read = await pipe.ReadAsync();
            ReadOnlySequence<byte> all = read.Buffer;
            foreach (ReadOnlyMemory<byte> segment in all)
                parser.Feed(segment.Span);
            pipe.AdvanceTo(all.End);
            if (read.IsCompleted)
                break;
        }
        parser.End();
        await pipe.CompleteAsync();
        return MethodResult.Lines(sum);
    }

    private static PipeReader OpenPipe(MethodInput input) => PipeReader.Create(
        new FileStream(input.Path, FileMode.Open, FileAccess.Read, FileShare.Read, bufferSize: 0, useAsync: true),
        new StreamPipeReaderOptions(bufferSize: MethodInput.BlockSize));

    private static MethodResult ReadAtOffsets(MethodInput input)
    {
        using SafeFileHandle file = File.OpenHandle(input.Path);
        int total = 0;
        int got;
        while ((got = RandomAccess.Read(file, input.Bytes.AsSpan(total), total)) > 0)
            total += got;
        return MethodResult.Bytes(input.Bytes.AsMemory(0, total));
    }

    private static async Task<MethodResult> ReadAsync(MethodInput input)
    {
        await using var file = new FileStream(
            input.Path, FileMode.Open, FileAccess.Read, FileShare.Read, bufferSize: 0,
            FileOptions.Asynchronous | FileOptions.SequentialScan);
        int total = await file.ReadAtLeastAsync(input.Bytes, input.Bytes.Length, throwOnEndOfStream: false);
        return MethodResult.Bytes(input.Bytes.AsMemory(0, total));
    }

    private static MethodResult ReadMapped(MethodInput input)
    {
        using MemoryMappedFile file = MemoryMappedFile.CreateFromFile(input.Path, FileMode.Open, mapName: null, 0,
            MemoryMappedFileAccess.Read);
        using MemoryMappedViewAccessor view = file.CreateViewAccessor(0, 0, MemoryMappedFileAccess.Read);
        int total = view.ReadArray(0, input.Bytes, 0, input.Bytes.Length);
        return MethodResult.Bytes(input.Bytes.AsMemory(0, total));
    }
}
