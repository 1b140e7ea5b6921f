using Sluice.Classic;

namespace Sluice.Cli.Programs.Methods;

/// <summary>The article's unit tests: each public method of WinFileIO on a file, and what the class promises about errors.</summary>
internal sealed class WinFileIOChecks(string folder)
{
    private const int Block = 65_536;

    // A length that is neither a whole number of blocks nor of elements.
    private const int Length = 3 * Block + 17;

    private readonly byte[] _content = Pattern();

    /// <summary>Returns the names of the checks and their failures; null for a check that passed.</summary>
    public IReadOnlyList<(string Name, string? Failure)> Run()
    {
        File.WriteAllBytes(ReadPath, _content);
        (string Name, Action Check)[] checks =
        [
            ("Read", () => ReadAll((file, bytes) => file.Read(bytes))),
            ("Read in pieces", ReadInPieces),
            ("ReadUntilEOF", () => ReadAll((file, _) => file.ReadUntilEOF())),
            ("ReadUntilEOF into too small a buffer", ReadIntoTooSmall),
            ("ReadBlocks", () => ReadAll((file, bytes) => file.ReadBlocks(bytes))),
            ("Write", () => WriteAll((file, bytes) => file.Write(bytes))),
            ("WriteBlocks", () => WriteAll((file, bytes) => file.WriteBlocks(bytes))),
            ("PinBuffer in place of another", PinAnother),
            ("UnpinBuffer", Unpin),
            ("arrays of structures", ReadStructures),
            ("arrays with references", RefuseReferences),
            ("use before open", UseBeforeOpen),
            ("a size larger than the buffer", TooLargeASize),
            ("a missing file", OpenMissing),
            ("Close and Dispose twice", CloseTwice),
        ];
        return [.. checks.Select(c => (c.Name, Run(c.Check)))];
    }

    private string ReadPath => Path.Combine(folder, "winfileio.dat");

    private string WritePath => Path.Combine(folder, "winfileio.out");

    private static byte[] Pattern()
    {
        byte[] bytes = new byte[Length];
        for (int i = 0; i < bytes.Length; i++)
            bytes[i] = (byte)(i * 31 + i / 251);
        return bytes;
    }

    private static string? Run(Action check)
    {
        try
        {
            check();
            return null;
        }
#pragma warning disable CA1031 // Any exception is the result of the check.
        catch (Exception e)
#pragma warning restore CA1031
        {
            return e.Message;
        }
    }

    private static void Require(bool condition, string what)
    {
        if (!condition)
            throw new InvalidDataException(what);
    }

    private static void RequireThrows<T>(Action call, string what)
        where T : Exception
    {
        try
        {
            call();
        }
        catch (T)
        {
            return;
        }
        throw new InvalidDataException($"{what} did not throw {typeof(T).Name}");
    }

    private void ReadAll(Func<WinFileIO, int, int> read)
    {
        byte[] buffer = new byte[Length];
        using var file = new WinFileIO(buffer);
        file.OpenForReading(ReadPath);
        Require(read(file, Length) == Length, "the length is wrong");
        Require(buffer.AsSpan().SequenceEqual(_content), "other bytes than in the file");
        Require(read(file, Length) == 0, "more than the file has");
        Require(file.Close(), "Close failed");
    }

    private void ReadInPieces()
    {
        byte[] buffer = new byte[1000];
        using var file = new WinFileIO(buffer);
        file.OpenForReading(ReadPath);
        int total = 0;
        int got;
        while ((got = file.Read(buffer.Length)) > 0)
        {
            Require(buffer.AsSpan(0, got).SequenceEqual(_content.AsSpan(total, got)), $"other bytes at {total}");
            total += got;
        }
        Require(total == Length, "the length is wrong");
    }

    private void ReadIntoTooSmall()
    {
        using var file = new WinFileIO(new byte[Length - 1]);
        file.OpenForReading(ReadPath);
        RequireThrows<ApplicationException>(() => file.ReadUntilEOF(), "ReadUntilEOF");
    }

    private void WriteAll(Func<WinFileIO, int, int> write)
    {
        using (var file = new WinFileIO(_content))
        {
            file.OpenForWriting(WritePath);
            Require(write(file, Length) == Length, "the length is wrong");
            Require(write(file, 5) == 5, "the second length is wrong");
            Require(file.Close(), "Close failed");
        }
        Require(File.ReadAllBytes(WritePath).AsSpan().SequenceEqual([.. _content, .. _content.AsSpan(0, 5)]),
            "other bytes than in the buffer");
    }

    private void PinAnother()
    {
        byte[] first = new byte[10];
        byte[] second = new byte[10];
        using var file = new WinFileIO(first);
        file.OpenForReading(ReadPath);
        file.Read(10);
        file.PinBuffer(second);
        file.Read(10);
        Require(first.AsSpan().SequenceEqual(_content.AsSpan(0, 10)), "the first buffer has changed");
        Require(second.AsSpan().SequenceEqual(_content.AsSpan(10, 10)), "the second buffer has other bytes");
    }

    private void Unpin()
    {
        using var file = new WinFileIO(new byte[10]);
        file.OpenForReading(ReadPath);
        file.UnpinBuffer();
        file.UnpinBuffer();
        RequireThrows<ApplicationException>(() => file.Read(1), "Read without a buffer");
    }

    private void ReadStructures()
    {
        var points = new Point[100];
        using var file = new WinFileIO(points);
        file.OpenForReading(ReadPath);
        Require(file.Read(24) == 24, "the length is wrong");
        Require(points[0] == new Point(BitConverter.ToInt64(_content), BitConverter.ToInt64(_content, 8)), "other values than in the file");
        Require(points[1] == new Point(BitConverter.ToInt64(_content, 16), 0), "more than was asked for");
    }

    private void RefuseReferences() =>
        RequireThrows<ArgumentException>(() => new WinFileIO(new string[1]).Dispose(), "an array of strings");

    private void UseBeforeOpen()
    {
        using var file = new WinFileIO(new byte[1]);
        RequireThrows<ApplicationException>(() => file.Read(1), "Read");
        RequireThrows<ApplicationException>(() => file.ReadUntilEOF(), "ReadUntilEOF");
        RequireThrows<ApplicationException>(() => file.ReadBlocks(1), "ReadBlocks");
        RequireThrows<ApplicationException>(() => file.Write(1), "Write");
        RequireThrows<ApplicationException>(() => file.WriteBlocks(1), "WriteBlocks");
    }

    private void TooLargeASize()
    {
        using var file = new WinFileIO(new byte[10]);
        file.OpenForReading(ReadPath);
        RequireThrows<ApplicationException>(() => file.Read(11), "Read");
        RequireThrows<ApplicationException>(() => file.ReadBlocks(11), "ReadBlocks");
        file.OpenForWriting(WritePath);
        RequireThrows<ApplicationException>(() => file.Write(11), "Write");
        RequireThrows<ApplicationException>(() => file.WriteBlocks(11), "WriteBlocks");
    }

    private void OpenMissing()
    {
        using var file = new WinFileIO(new byte[1]);
        RequireThrows<ApplicationException>(() => file.OpenForReading(Path.Combine(folder, "none", "none.dat")), "OpenForReading");
    }

    private void CloseTwice()
    {
        var file = new WinFileIO(new byte[1]);
        file.OpenForReading(ReadPath);
        Require(file.Close() && file.Close(), "Close failed");
        file.Dispose();
        file.Dispose();
    }

    private readonly record struct Point(long X, long Y);
}
