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
        if (bytes.IsEmpty)
        {
            return;
        }

        Extend(offset + bytes.Length);
        bytes.CopyTo(_content.AsSpan(offset));
    }

    public void Append(ReadOnlySpan<byte> bytes) => Write(bytes, Length);

    public void SetLength(int length)
    {
        if (length < Length)
        {
            _content.AsSpan(length, Length - length).Clear();
            Length = length;
        }
        else
        {
            Extend(length);
        }
    }

    public void Extend(int length)
    {
        if (length > _content.Length)
        {
            Array.Resize(ref _content, length * 2);
        }

        Length = Math.Max(Length, length);
    }

    public void Clear(int offset, int length)
    {
        int end = Math.Min(offset + length, Length);
        if (offset < end)
        {
            _content.AsSpan(offset, end - offset).Clear();
        }
    }

    public ReadOnlySpan<byte> Range(int offset, int length) =>
        offset >= Length ? [] : _content.AsSpan(offset, Math.Min(length, Length - offset));

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
