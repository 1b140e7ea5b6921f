using System.Text;

namespace Sluice.Compatibility;

/// <summary>What File of .NET 8 lacks: forms for spans, and bytes that are added at a file's end.</summary>
internal static class FileMembers
{
    extension(File)
    {
        public static void WriteAllBytes(string path, ReadOnlySpan<byte> bytes) => Write(path, FileMode.Create, bytes);

        public static void AppendAllBytes(string path, byte[] bytes)
        {
            ArgumentException.ThrowIfNullOrEmpty(path);
            ArgumentNullException.ThrowIfNull(bytes);
            Write(path, FileMode.Append, bytes);
        }

        public static void AppendAllBytes(string path, ReadOnlySpan<byte> bytes) => Write(path, FileMode.Append, bytes);

        public static void WriteAllText(string path, ReadOnlySpan<char> contents) => File.WriteAllText(path, contents.ToString());

        public static void WriteAllText(string path, ReadOnlySpan<char> contents, Encoding encoding) =>
            File.WriteAllText(path, contents.ToString(), encoding);

        public static void AppendAllText(string path, ReadOnlySpan<char> contents) => File.AppendAllText(path, contents.ToString());

        public static void AppendAllText(string path, ReadOnlySpan<char> contents, Encoding encoding) =>
            File.AppendAllText(path, contents.ToString(), encoding);
    }

    private static void Write(string path, FileMode mode, ReadOnlySpan<byte> bytes)
    {
        ArgumentException.ThrowIfNullOrEmpty(path);
        using FileStream file = new(path, mode, FileAccess.Write, FileShare.Read, bufferSize: 0);
        file.Write(bytes);
    }
}
