using Microsoft.Win32.SafeHandles;

namespace Sluice.Cli.Bench;

/// <summary>Compares files that a row has written with the expected content. Each check throws <see cref="IOException"/>.</summary>
internal static class FileCheck
{
    private const int PageBytes = 4096;
    private const int SampledPages = 64;

    public static void Length(string path, long expectedBytes)
    {
        long length = new FileInfo(path).Length;
        if (length != expectedBytes)
            throw new IOException($"{path}: {expectedBytes} bytes expected, {length} found");
    }

    public static void Content(string path, ReadOnlySpan<byte> expected)
    {
        if (!File.ReadAllBytes(path).AsSpan().SequenceEqual(expected))
            throw Differs(path);
    }

    /// <summary>Checks that the file has the given length and repeats <paramref name="piece"/> to its end.</summary>
    public static void Repeats(string path, ReadOnlySpan<byte> piece, long bytes)
    {
        Length(path, bytes);
        byte[] content = File.ReadAllBytes(path);
        for (int at = 0; at < content.Length; at += piece.Length)
        {
            ReadOnlySpan<byte> here = content.AsSpan(at, Math.Min(piece.Length, content.Length - at));
            if (!here.SequenceEqual(piece[..here.Length]))
                throw Differs(path);
        }
    }

    /// <summary>
    /// Checks that both files have the same length and the same bytes in their first page, their last page and some pages between them.
    /// Comparing all bytes of a large copy after each slice would take longer than the copy.
    /// </summary>
    public static void SamePages(string expectedPath, string path)
    {
        using SafeFileHandle expected = File.OpenHandle(expectedPath);
        using SafeFileHandle actual = File.OpenHandle(path);
        long length = RandomAccess.GetLength(expected);
        Length(path, length);
        byte[] a = new byte[PageBytes];
        byte[] b = new byte[PageBytes];
        var random = new Random(42);
        for (int i = 0; i < SampledPages; i++)
        {
            long page = i == 0 ? 0 : i == 1 ? (length - 1) / PageBytes : random.NextInt64((length / PageBytes) + 1);
            int count = RandomAccess.Read(expected, a, page * PageBytes);
            if (RandomAccess.Read(actual, b, page * PageBytes) != count || !a.AsSpan(0, count).SequenceEqual(b.AsSpan(0, count)))
                throw Differs(path);
        }
    }

    /// <summary>Compares what was read with the content of the file.</summary>
    public static void Same<T>(ReadOnlySpan<T> expected, ReadOnlySpan<T> actual, string path)
        where T : IEquatable<T>
    {
        if (!actual.SequenceEqual(expected))
            throw Differs(path);
    }

    private static IOException Differs(string path) => new($"{path}: not the bytes that were expected");
}
