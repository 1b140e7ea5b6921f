using Shouldly;

namespace Sluice.Faults.Child.Conformance;

/// <summary>What the file should hold.</summary>
internal sealed class FileModel
{
    private byte[] _content = new byte[1 << 20];

    public int Length { get; private set; }

    public ReadOnlySpan<byte> Content => _content.AsSpan(0, Length);

    public void Write(ReadOnlySpan<byte> bytes, int offset)
    {
        int end = offset + bytes.Length;
        if (end > _content.Length)
        {
            Array.Resize(ref _content, end * 2);
        }

        Length = Math.Max(Length, end);
        bytes.CopyTo(_content.AsSpan(offset));
    }

    public void Append(ReadOnlySpan<byte> bytes) => Write(bytes, Length);

    public void Cut(int length)
    {
        _content.AsSpan(length, Length - length).Clear();
        Length = length;
    }

    /// <summary>Names the first byte that differs: a dump of two long arrays tells less.</summary>
    public static void ShouldMatch(ReadOnlySpan<byte> actual, ReadOnlySpan<byte> expected, string what)
    {
        int same = actual.CommonPrefixLength(expected);
        if (same < expected.Length || same < actual.Length)
        {
            string values = same < Math.Min(actual.Length, expected.Length) ? $" ({actual[same]} instead of {expected[same]})" : "";
            throw new ShouldAssertException(
                $"{what}: differs at byte {same}{values}; {actual.Length} bytes instead of {expected.Length}");
        }
    }
}
