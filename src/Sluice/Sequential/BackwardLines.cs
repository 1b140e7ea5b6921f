using Sluice.Handles;

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
    private readonly MeasuredFile _file;
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
        _file = new MeasuredFile(handle);
        _end = _file.Length;
        _from = _to = _buffer.Length;
        Span<byte> mark = stackalloc byte[3];
        _first = _file.Read(mark, 0) == 3 && mark.SequenceEqual((ReadOnlySpan<byte>)[0xEF, 0xBB, 0xBF]) ? 3 : 0;
    }

    /// <summary>The line before the one that came last; false at the start of the file. It stands until the next call.</summary>
    /// <remarks>Reading only adds bytes in front; what was come to is noted last, so that a call that threw can be made again.</remarks>
    public bool TryNext(out ReadOnlyMemory<byte> line)
    {
        line = default;
        if (_to == _from && !Fill())
        {
            return false;
        }

        // Its end: one newline, which the very last line may lack, and of which a CR LF is one. Counted from the end of the buffer, which
        // moves.
        int newline = 0;
        if (!_isLast || _buffer[_to - 1] is (byte)'\n' or (byte)'\r')
        {
            newline = 1;
            if (_buffer[_to - 1] == '\n' && (_to - 1 > _from || Fill()) && _buffer[_to - 2] == '\r')
            {
                newline = 2;
            }
        }

        int searched = _to - newline;
        while (true)
        {
            int found = _buffer.AsSpan(_from, searched - _from).LastIndexOfAny((byte)'\n', (byte)'\r');
            int length = _to - newline - _from;
            if (found >= 0 || !Fill())
            {
                int begin = _from + found + 1;
                line = _buffer.AsMemory(begin..(_to - newline));
                _to = begin;
                _isLast = false;
                return true;
            }

            searched = _to - newline - length;
        }
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
            byte[] target = (held + (long)count) switch
            {
                long needed when needed > Array.MaxLength => throw LineCarry.TooLong(_handle.Path, Array.MaxLength, "bytes", _end),
                long needed when needed > _buffer.Length / 2 =>
                    GC.AllocateUninitializedArray<byte>((int)Math.Min(Array.MaxLength, Math.Max(_buffer.Length * 2L, needed))),
                _ => _buffer,
            };
            _buffer.AsSpan(_from, held).CopyTo(target.AsSpan(target.Length - held));
            _buffer = target;
            _to = _buffer.Length;
            _from = _to - held;
        }

        int read = _file.Read(_buffer.AsSpan(_from - count, count), _end - count);
        if (read < count)
        {
            throw new EndOfStreamException(
                $"'{_handle.Path}' was cut at offset {_end - count + read} while it was being read from its end.");
        }

        _from -= count;
        _end -= count;
        _progress?.Report(_end);
        return true;
    }
}
