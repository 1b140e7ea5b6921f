namespace Sluice.Sequential;

/// <summary>Cuts a file into lines from its end to its start. The bytes of a line lie in one buffer, which grows to the front.</summary>
internal sealed class BackwardLines
{
#if DEBUG
    private const int ChunkBytes = 512;
#else
    private const int ChunkBytes = 64 * 1024;
#endif

    private readonly SluiceHandle _handle;
    private readonly IProgress<long>? _progress;
    private readonly long _first;
    private byte[] _buffer = GC.AllocateUninitializedArray<byte>(ChunkBytes * 2);
    private long _end;
    private int _from;
    private int _to;
    private bool _isLast = true;

    public BackwardLines(SluiceHandle handle, IProgress<long>? progress)
    {
        _handle = handle;
        _progress = progress;
        _end = handle.Length;
        _from = _to = _buffer.Length;
        Span<byte> mark = stackalloc byte[3];
        _first = handle.Read(mark, 0) == 3 && mark.SequenceEqual((ReadOnlySpan<byte>)[0xEF, 0xBB, 0xBF]) ? 3 : 0;
    }

    /// <summary>The line before the one that came last; false at the start of the file. It stands until the next call.</summary>
    public bool TryNext(out ReadOnlyMemory<byte> line)
    {
        line = default;
        if (Unread == 0)
        {
            return false;
        }

        // Its end: one newline, which the very last line may lack, and of which a CR LF is one.
        int end = _to;
        if (!_isLast || IsNewline(At(end - 1)))
        {
            end--;
            if (At(end) == '\n' && HasBefore(ref end) && At(end - 1) == '\r')
            {
                end--;
            }
        }

        _isLast = false;
        int searched = end;
        while (true)
        {
            int found = _buffer.AsSpan(_from, searched - _from).LastIndexOfAny((byte)'\n', (byte)'\r');
            if (found >= 0)
            {
                line = _buffer.AsMemory((_from + found + 1)..end);
                _to = _from + found + 1;
                return true;
            }

            int length = end - _from;
            int toEnd = _to - end;
            if (!Fill())
            {
                line = _buffer.AsMemory(_from, length);
                _to = _from;
                return true;
            }

            // The buffer may have moved.
            end = _to - toEnd;
            searched = end - length;
        }
    }

    /// <summary>Bytes of lines that have not come yet; fills the buffer when it has none of them.</summary>
    private long Unread => _to > _from || Fill() ? _end - _first + (_to - _from) : 0;

    private static bool IsNewline(byte value) => value is (byte)'\n' or (byte)'\r';

    private byte At(int index) => _buffer[index];

    /// <summary>Whether there is a byte before <paramref name="index"/>, which follows the buffer when it moves.</summary>
    private bool HasBefore(ref int index)
    {
        if (index > _from)
        {
            return true;
        }

        int toEnd = _to - index;
        bool result = Fill();
        index = _to - toEnd;
        return result;
    }

    /// <summary>Reads the bytes in front of those in the buffer; false when there are none.</summary>
    private bool Fill()
    {
        if (_end <= _first)
        {
            return false;
        }

        int count = (int)Math.Min(ChunkBytes, _end - _first);
        int held = _to - _from;
        if (_from < count)
        {
            byte[] target = held + count > _buffer.Length / 2
                ? GC.AllocateUninitializedArray<byte>((int)Math.Min(Array.MaxLength, Math.Max(_buffer.Length * 2L, held + (long)count)))
                : _buffer;
            _buffer.AsSpan(_from, held).CopyTo(target.AsSpan(target.Length - held));
            _buffer = target;
            _to = _buffer.Length;
            _from = _to - held;
        }

        int read = _handle.Read(_buffer.AsSpan(_from - count, count), _end - count);
        if (read < count)
        {
            throw new EndOfStreamException($"'{_handle.Path}' was cut at offset {_end - count + read} while it was being read from its end.");
        }

        _from -= count;
        _end -= count;
        _progress?.Report(_end);
        return true;
    }
}
