using Sluice.Classic;
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

    /// <summary>Its errors as the I/O errors that they are: the rest of the tool knows no ApplicationException.</summary>
    public static T Checked<T>(Func<T> transfer)
    {
        try
        {
            return transfer();
        }
        catch (ApplicationException e)
        {
            throw new IOException(e.Message, e);
        }
    }

    private static Method Read(string name, Func<WinFileIO, int, int> read) =>
        Method.Reading(name, IoSide.Sluice, ResultKind.Bytes, input =>
        {
            using var file = new WinFileIO(input.Bytes);
            int got = Run(file, input, () =>
            {
                file.OpenForReading(input.Path);
                return read(file, input.Bytes.Length);
            });
            return MethodResult.Bytes(input.Bytes.AsMemory(0, got));
        });

    private static Method Write(string name, Func<WinFileIO, int, int> write) =>
        Method.Writing(name, IoSide.Sluice, ResultKind.Bytes, input =>
        {
            using var file = new WinFileIO(input.Sample.Content);
            Run(file, input, () =>
            {
                file.OpenForWriting(input.Path);
                return write(file, input.Sample.SizeBytes);
            });
        });

    private static int Run(WinFileIO file, MethodInput input, Func<int> transfer)
    {
        int bytes = Checked(transfer);
        return file.Close() ? bytes : throw new IOException($"closing {input.Path} failed");
    }
}
