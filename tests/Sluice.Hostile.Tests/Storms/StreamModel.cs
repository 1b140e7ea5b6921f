namespace Sluice.Hostile.Tests.Storms;

/// <summary>What a stream's file has in it, and where the stream stands.</summary>
internal sealed class StreamModel(byte[] content)
{
    private readonly List<(long At, byte[] Bytes)> _maybe = [];
    private byte[] _bytes = [.. content];
    private long _minLength = long.MaxValue;
    private long _maxLength;

    public long Length { get; private set; } = content.Length;

    public long Position { get; set; }

    /// <summary>A read that succeeded: all that it asked for, or what there is.</summary>
    public void Read(ReadOnlySpan<byte> read, int asked)
    {
        int count = (int)Math.Min(asked, Length - Position);
        read.ShouldBeBytes(_bytes.AsSpan((int)Position, count), $"read of {asked} at {Position}");
        Position += count;
    }

    /// <summary>A read that was rejected: bytes of the file, or nothing.</summary>
    public void MayHaveRead(ReadOnlySpan<byte> read, ReadOnlySpan<byte> before)
    {
        for (int i = 0; i < read.Length; i++)
        {
            if (read[i] != before[i] && (Position + i >= Length || read[i] != _bytes[Position + i]))
            {
                Assert.Fail($"a rejected read at {Position} left {read[i]} at {i}");
            }
        }
    }

    /// <summary>So much of a write was accepted.</summary>
    public void Write(ReadOnlySpan<byte> bytes, int accepted)
    {
        Extend(Position + accepted);
        bytes[..accepted].CopyTo(_bytes.AsSpan((int)Position));
        Position += accepted;
    }

    /// <summary>What was found in the file where a write that was rejected may have left something.</summary>
    public void Found(ReadOnlySpan<byte> found, ReadOnlySpan<byte> rejected, long at)
    {
        for (int i = 0; i < found.Length; i++)
        {
            byte old = at + i < Length ? _bytes[at + i] : (byte)0;
            if (found[i] != old && found[i] != rejected[i])
            {
                Assert.Fail($"byte {at + i} is {found[i]}, was {old}, and {rejected[i]} was rejected");
            }
        }

        if (found.Length > 0)
        {
            Extend(at + found.Length);
            found.CopyTo(_bytes.AsSpan((int)at));
        }
    }

    public void SetLength(long length)
    {
        Extend(length);
        _bytes.AsSpan((int)length).Clear();
        Length = length;
        Position = Math.Min(Position, length);
    }

    /// <summary>The stream was closed around a call that would have made the one length of the other.</summary>
    public void MayHaveLength(long before, long after)
    {
        _minLength = Math.Min(before, after);
        _maxLength = Math.Max(before, after);
    }

    /// <summary>The stream was closed during a write, and cannot be asked how much of it was accepted.</summary>
    public void MayHaveWritten(byte[] bytes)
    {
        _maybe.Add((Position, bytes));
        _minLength = Length;
        _maxLength = Math.Max(Length, Position + bytes.Length);
    }

    /// <summary>The whole file in the end.</summary>
    public void Check(ReadOnlySpan<byte> file)
    {
        ((long)file.Length).ShouldBeInRange(Math.Min(_minLength, Length), Math.Max(_maxLength, Length), "the length in the end");
        for (int i = 0; i < file.Length; i++)
        {
            byte expected = i < Length ? _bytes[i] : (byte)0;
            if (file[i] != expected && !MayBe(i, file[i]))
            {
                Assert.Fail($"byte {i} of {file.Length} is {file[i]}, not {expected}; the stream stood at {Position}, its length {Length}");
            }
        }
    }

    private bool MayBe(long at, byte value) =>
        _maybe.Exists(m => at >= m.At && at < m.At + m.Bytes.Length && m.Bytes[at - m.At] == value);

    private void Extend(long length)
    {
        if (length > _bytes.Length)
        {
            Array.Resize(ref _bytes, (int)length * 2);
        }

        Length = Math.Max(Length, length);
    }
}
