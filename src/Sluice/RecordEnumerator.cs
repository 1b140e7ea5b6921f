using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using Sluice.Sequential;

namespace Sluice;

/// <summary>
/// The records of a <see cref="SluiceReader"/>, as many at a time as lie together in a block; a record that lies across two blocks comes
/// alone. They stand until the next ones are asked for.
/// </summary>
/// <typeparam name="T">The record: its bytes in memory are those in the file, byte order included.</typeparam>
[StructLayout(LayoutKind.Auto)]
public ref struct RecordEnumerator<T>
    where T : unmanaged
{
    private readonly SluiceReader _reader;
    private readonly CancellationToken _cancellationToken;
    private ReadOnlySpan<T> _current;
    private T[]? _copy;

    internal RecordEnumerator(SluiceReader reader, CancellationToken cancellationToken)
    {
        _reader = reader;
        _cancellationToken = cancellationToken;
    }

    /// <summary>The records.</summary>
    public readonly ReadOnlySpan<T> Current => _current;

    /// <summary>This enumerator.</summary>
    public readonly RecordEnumerator<T> GetEnumerator() => this;

    /// <summary>Goes to the next records; false at the end of the file.</summary>
    /// <exception cref="InvalidDataException">The file ends within a record.</exception>
    /// <exception cref="IOException">The operating system reported an error.</exception>
    public bool MoveNext()
    {
        int size = Unsafe.SizeOf<T>();
        if (!_reader.HasUnread(_cancellationToken))
        {
            return false;
        }

        if (_reader.TryTakeRecords(size, out Memory<byte> bytes, out nint address))
        {
            if (Records.IsAligned<T>(address))
            {
                _current = MemoryMarshal.Cast<byte, T>(bytes.Span);
                return true;
            }

            int count = bytes.Length / size;
            T[] copy = _copy is { } kept && kept.Length >= count ? kept : _copy = new T[count];
            MemoryMarshal.Cast<byte, T>(bytes.Span).CopyTo(copy);
            _current = copy.AsSpan(0, count);
            return true;
        }

        T[] single = _copy ??= new T[1];
        long offset = _reader.Position;
        int got = _reader.Read(MemoryMarshal.AsBytes(single.AsSpan(0, 1)), _cancellationToken);
        if (got < size)
        {
            Records.ThrowCut<T>(_reader.Handle.Path, offset, got);
        }

        _current = single.AsSpan(0, 1);
        return true;
    }
}
