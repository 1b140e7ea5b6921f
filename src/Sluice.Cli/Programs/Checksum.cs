using System.Numerics;
using System.Runtime.CompilerServices;
using System.Text;
using Sluice.Log.Frames;

namespace Sluice.Cli.Programs;

/// <summary>
/// Counts the data that a program reads, and computes its CRC-32C, which does not depend on the sizes of the pieces and is fast enough for
/// timed loops. It also checks for interruption in long loops.
/// </summary>
internal sealed class Checksum(CancellationToken cancellationToken = default)
{
    private const int BytesBetweenChecks = 1 << 20;
    private const int NarrowAtOnce = 256;

    private uint _crc;

    public long Bytes { get; private set; }

    public long Lines { get; private set; }

    public uint Crc => _crc;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Add(byte value)
    {
        _crc = BitOperations.Crc32C(_crc, value);
        Count(1);
    }

    public void Add(ReadOnlySpan<byte> bytes)
    {
        Count(bytes.Length);
        _crc = Crc32C.Append(_crc, bytes);
    }

    /// <summary>Adds a line without its line end.</summary>
    public void AddLine(ReadOnlySpan<byte> line)
    {
        Add(line);
        // The line feed distinguishes the line "ab" from the lines "a" and "b".
        _crc = BitOperations.Crc32C(_crc, (byte)'\n');
        Lines++;
    }

    /// <summary>Adds a line of ASCII text without its line end.</summary>
    public void AddLine(ReadOnlySpan<char> line)
    {
        Span<byte> narrow = stackalloc byte[NarrowAtOnce];
        for (; line.Length > NarrowAtOnce; line = line[NarrowAtOnce..])
        {
            Encoding.Latin1.GetBytes(line[..NarrowAtOnce], narrow);
            Add(narrow);
        }
        Encoding.Latin1.GetBytes(line, narrow);
        AddLine(narrow[..line.Length]);
    }

    /// <summary>Returns a description of the difference, or null if there is none.</summary>
    public string? Difference(Checksum expected)
    {
        if (Lines != expected.Lines)
            return $"{Lines:#,0} lines, not {expected.Lines:#,0}";
        if (Bytes != expected.Bytes)
            return $"{Bytes:#,0} bytes, not {expected.Bytes:#,0}";
        return Crc == expected.Crc ? null : $"CRC-32C {Crc:x8}, not {expected.Crc:x8}";
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private void Count(int bytes)
    {
        long before = Bytes;
        Bytes = before + bytes;
        if (before / BytesBetweenChecks != Bytes / BytesBetweenChecks)
            cancellationToken.ThrowIfCancellationRequested();
    }
}
