using Sluice.Cli.Load;

namespace Sluice.Cli.Programs.Methods;

/// <summary>WinFileIO, whose buffer is pinned once for each run, as a program would that reads a file into an array of its own.</summary>
internal static class WinFileIOMethods
{
    public static IReadOnlyList<Method> All { get; } =
    [
        Read("WFIO1.Read", (file, bytes) => file.Read(bytes)),
        Read("WFIO2.ReadUntilEOF", (file, _) => file.ReadUntilEOF()),
        Read("WFIO3.ReadBlocks", (file, bytes) => file.ReadBlocks(bytes)),
        Write("WFIO1.Write", (file, bytes) => file.Write(bytes)),
        Write("WFIO2.WriteBlocks", (file, bytes) => file.WriteBlocks(bytes)),
    ];

    private static Method Read(string name, Func<WinFileIO, int, int> read) =>
        Method.Reading(name, IoSide.Sluice, ResultKind.Bytes, input =>
        {
            using var file = new WinFileIO(input.Bytes);
            file.OpenForReading(input.Path);
            int got = read(file, input.Bytes.Length);
            Close(file, input);
            return MethodResult.Bytes(input.Bytes.AsMemory(0, got));
        });

    private static Method Write(string name, Func<WinFileIO, int, int> write) =>
        Method.Writing(name, IoSide.Sluice, ResultKind.Bytes, input =>
        {
            using var file = new WinFileIO(input.Sample.Content);
            file.OpenForWriting(input.Path);
            write(file, input.Sample.SizeBytes);
            Close(file, input);
        });

    private static void Close(WinFileIO file, MethodInput input)
    {
        if (!file.Close())
            throw new IOException($"closing {input.Path} failed");
    }
}
