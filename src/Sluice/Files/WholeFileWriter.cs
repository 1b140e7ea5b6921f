using System.Buffers;
using System.Text;
using Microsoft.Win32.SafeHandles;
using Sluice.Errors;
using Sluice.Kernel;

namespace Sluice.Files;

/// <summary>
/// Writes whole files on the caller's thread as <see cref="File"/> does, with its exceptions; and reports the error of close(2), which
/// <see cref="File"/> ignores.
/// </summary>
internal static class WholeFileWriter
{
    public static void Write(string path, FileMode mode, ReadOnlySpan<byte> bytes)
    {
        using SafeFileHandle file = File.OpenHandle(path, mode, FileAccess.Write);
        RandomAccess.Write(file, bytes, mode == FileMode.Append ? RandomAccess.GetLength(file) : 0);
        WrittenFile.CloseUnshared(file, path);
    }

    public static void Write(string path, FileMode mode, IEnumerable<string> lines, Encoding encoding)
    {
        ArgumentException.ThrowIfNullOrEmpty(path);
        ArgumentNullException.ThrowIfNull(encoding);
        ArgumentNullException.ThrowIfNull(lines);
        using SafeFileHandle file = File.OpenHandle(path, mode, FileAccess.Write);
        using FileStream stream = new(file, FileAccess.Write);
        if (mode == FileMode.Append && stream.CanSeek)
        {
            _ = stream.Seek(0, SeekOrigin.End);
        }

        StreamWriter writer = new(stream, encoding);
        try
        {
            foreach (string line in lines)
            {
                writer.WriteLine(line);
            }
        }
        finally
        {
            // As File: the lines before an exception of the enumeration are in the file.
            writer.Flush();
        }

        WrittenFile.CloseUnshared(file, path);
    }

    /// <summary>Text, with the encoding's mark where the file is empty.</summary>
    public static void Write(string path, FileMode mode, ReadOnlySpan<char> text, Encoding encoding)
    {
        ArgumentException.ThrowIfNullOrEmpty(path);
        ArgumentNullException.ThrowIfNull(encoding);
        SafeFileHandle file = File.OpenHandle(path, mode, FileAccess.Write);
        using SluiceHandle handle = SluiceHandle.Adopt(file, path, FileAccess.Write, FileCaching.Cached, null);
        WriteText(handle, text, encoding, mode == FileMode.Append && handle.CanSeek ? handle.Length : 0);
        handle.CloseUnshared();
    }

    /// <summary>Writes text, with the encoding's mark where <paramref name="at"/> is 0.</summary>
    public static void WriteText(SluiceHandle handle, ReadOnlySpan<char> text, Encoding encoding, long at)
    {
        ReadOnlySpan<byte> mark = at == 0 ? encoding.Preamble : [];
        byte[] bytes = ArrayPool<byte>.Shared.Rent(Tuning.TextSinkPieceBytes + mark.Length);
        try
        {
            mark.CopyTo(bytes);
            int used = mark.Length;
            Encoder encoder = encoding.GetEncoder();

            // Convert would refuse an empty text where a caller's encoder leaves it to the base class.
            for (bool isWhole = text.IsEmpty; !isWhole;)
            {
                encoder.Convert(text, bytes.AsSpan(used), flush: true, out int charsUsed, out int bytesUsed, out isWhole);
                text = text[charsUsed..];
                used += bytesUsed;
                handle.Write(bytes.AsSpan(0, used), at);
                at += used;
                used = 0;
            }

            handle.Write(bytes.AsSpan(0, used), at);
        }
        finally
        {
            ArrayPool<byte>.Shared.Return(bytes);
        }
    }
}
