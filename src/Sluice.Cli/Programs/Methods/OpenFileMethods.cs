using System.Text;
using Sluice.Classic;
using Sluice.Cli.Load;

namespace Sluice.Cli.Programs.Methods;

/// <summary>The set without open and close: the file is open when the clock starts, and still open when it stops.</summary>
internal static class OpenFileMethods
{
    public static IReadOnlyList<Method> All { get; } =
    [
        Method.ReadingOpen("BinaryReader.Read, no open/close", IoSide.Bcl, ResultKind.Text, i =>
        {
            var reader = new BinaryReader(new FileStream(i.Path, FileMode.Open, FileAccess.Read));
            return new OpenedMethod(() => FileReadMethods.Fill(i.Chars, reader.Read), reader);
        }),
        Method.ReadingOpen("StreamReader2.Read(large buf), no open/close", IoSide.Bcl, ResultKind.Text, i =>
        {
            StreamReader reader = StreamReaderMethods.Large(i);
            return new OpenedMethod(() => FileReadMethods.Fill(i.Chars, reader.Read), reader);
        }),
        Method.ReadingOpen("FileStream1.Read, no open/close", IoSide.Bcl, ResultKind.Bytes, i =>
        {
            FileStream file = FileStreamReadMethods.Open(i.Path, FileOptions.SequentialScan);
            return new OpenedMethod(() => FileStreamReadMethods.Fill(file, i.Bytes), file);
        }),
        Method.ReadingOpen("WFIO.Read, no open/close", IoSide.Sluice, ResultKind.Bytes, i =>
        {
            var file = new WinFileIO(i.Bytes);
            file.OpenForReading(i.Path);
            return new OpenedMethod(() =>
                MethodResult.Bytes(i.Bytes.AsMemory(0, WinFileIOMethods.Checked(() => file.Read(i.Bytes.Length)))), file);
        }),
        Method.WritingOpen("BinaryWriter.Write, no open/close", IoSide.Bcl, ResultKind.Text, i =>
        {
            var writer = new BinaryWriter(new FileStream(i.Path, FileMode.Create, FileAccess.Write));
            return (() =>
            {
                writer.Write(i.Sample.Chars);
                writer.Flush();
            }, [writer]);
        }),
        Method.WritingOpen("StreamWriter1.Write, no open/close", IoSide.Bcl, ResultKind.Text, i =>
        {
            var writer = new StreamWriter(i.Path, append: false, Encoding.ASCII, MethodInput.BlockSize);
            return (() =>
            {
                writer.Write(i.Sample.Chars);
                writer.Flush();
            }, [writer]);
        }),
        Method.WritingOpen("FileStream1.Write, no open/close", IoSide.Bcl, ResultKind.Bytes, i =>
        {
            FileStream file = FileStreamWriteMethods.Create(i.Path);
            return (() =>
            {
                file.Write(i.Sample.Content, 0, i.Sample.SizeBytes);
                file.Flush();
            }, [file]);
        }),
        Method.WritingOpen("WFIO.Write, no open/close", IoSide.Sluice, ResultKind.Bytes, i =>
        {
            var file = new WinFileIO(i.Sample.Content);
            file.OpenForWriting(i.Path);
            return (() => WinFileIOMethods.Checked(() => file.Write(i.Sample.SizeBytes)), [file]);
        }),
    ];
}
