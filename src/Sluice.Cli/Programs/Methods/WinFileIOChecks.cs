using Sluice.Classic;

namespace Sluice.Cli.Programs.Methods;

/// <summary>The unit tests of the article "Efficient File I/O From C#": each public method of WinFileIO on a file.</summary>
internal sealed class WinFileIOChecks(string folder)
{
    // The length is not a whole number of blocks.
    private const int Length = (3 * 65_536) + 17;

    private readonly byte[] _content = [.. Enumerable.Range(0, Length).Select(i => (byte)((i * 31) + (i / 251)))];

    private string ReadPath => Path.Combine(folder, "winfileio.dat");

    private string WritePath => Path.Combine(folder, "winfileio.out");

    /// <summary>Returns the names of the checks and their failures; null for a check that passed.</summary>
    public IReadOnlyList<(string Name, string? Failure)> Run()
    {
        File.WriteAllBytes(ReadPath, _content);
        return
        [
            ("Read", Try(() => Read((file, bytes) => file.Read(bytes)))),
            ("ReadUntilEOF", Try(() => Read((file, _) => file.ReadUntilEOF()))),
            ("ReadBlocks", Try(() => Read((file, bytes) => file.ReadBlocks(bytes)))),
            ("Write", Try(() => Write((file, bytes) => file.Write(bytes)))),
            ("WriteBlocks", Try(() => Write((file, bytes) => file.WriteBlocks(bytes)))),
            ("PinBuffer and UnpinBuffer", Try(Pin)),
        ];
    }

    private static string? Try(Func<string?> check)
    {
        try
        {
            return check();
        }
        catch (ApplicationException e)
        {
            return e.Message;
        }
    }

    private string? Read(Func<WinFileIO, int, int> read)
    {
        byte[] buffer = new byte[Length];
        using var file = new WinFileIO(buffer);
        file.OpenForReading(ReadPath);
        return read(file, Length) != Length ? "the length is wrong"
            : !buffer.AsSpan().SequenceEqual(_content) ? "other bytes than in the file"
            : read(file, Length) != 0 ? "more than the file has"
            : file.Close() ? null : "Close failed";
    }

    private string? Write(Func<WinFileIO, int, int> write)
    {
        using var file = new WinFileIO(_content);
        file.OpenForWriting(WritePath);
        return write(file, Length) != Length || write(file, 5) != 5 ? "the length is wrong"
            : !file.Close() ? "Close failed"
            : !File.ReadAllBytes(WritePath).AsSpan().SequenceEqual([.. _content, .. _content.AsSpan(0, 5)]) ? "other bytes than in the buffer"
            : null;
    }

    private string? Pin()
    {
        byte[] buffer = new byte[10];
        using var file = new WinFileIO(new byte[10]);
        file.OpenForReading(ReadPath);
        file.Read(10);
        file.PinBuffer(buffer);
        file.Read(10);
        file.UnpinBuffer();
        return buffer.AsSpan().SequenceEqual(_content.AsSpan(10, 10)) ? null : "the second buffer has other bytes";
    }
}
