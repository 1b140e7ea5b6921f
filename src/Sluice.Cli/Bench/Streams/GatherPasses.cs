using Microsoft.Win32.SafeHandles;

namespace Sluice.Cli.Bench.Streams;

/// <summary>
/// A new file written by offset, segment by segment or several segments in a call, as in the .NET 6 text. Each returns the bytes written.
/// </summary>
internal static class GatherPasses
{
    public static long GatherSluice(string path, long length, IReadOnlyList<ReadOnlyMemory<byte>> segments)
    {
        int step = segments.Sum(s => s.Length);
        using SluiceHandle file = SluiceHandle.Open(path, FileMode.Create, FileAccess.Write);
        for (long offset = 0; offset < length; offset += step)
            file.Write(segments, offset);
        return length;
    }

    public static long GatherDotNet(string path, long length, IReadOnlyList<ReadOnlyMemory<byte>> segments)
    {
        int step = segments.Sum(s => s.Length);
        using SafeFileHandle file = File.OpenHandle(path, FileMode.Create, FileAccess.Write);
        for (long offset = 0; offset < length; offset += step)
            RandomAccess.Write(file, segments, offset);
        return length;
    }

    public static long WriteSluice(string path, long length, IReadOnlyList<ReadOnlyMemory<byte>> segments)
    {
        int segmentBytes = segments[0].Length;
        using SluiceHandle file = SluiceHandle.Open(path, FileMode.Create, FileAccess.Write);
        for (long offset = 0; offset < length; offset += segmentBytes)
            file.Write(segments[(int)(offset / segmentBytes % segments.Count)].Span, offset);
        return length;
    }

    public static long WriteDotNet(string path, long length, IReadOnlyList<ReadOnlyMemory<byte>> segments)
    {
        int segmentBytes = segments[0].Length;
        using SafeFileHandle file = File.OpenHandle(path, FileMode.Create, FileAccess.Write);
        for (long offset = 0; offset < length; offset += segmentBytes)
            RandomAccess.Write(file, segments[(int)(offset / segmentBytes % segments.Count)].Span, offset);
        return length;
    }
}
