using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using Sluice.Sequential;

namespace Sluice;

/// <summary>
/// The records of a <see cref="SluiceReader"/> from where it stands, as many at a time as lie together in a block; a record that lies
/// across two blocks comes alone. They stand until the next ones are asked for.
/// </summary>
/// <typeparam name="T">The record: its bytes in memory are those in the file, byte order included.</typeparam>
public readonly struct RecordBatchEnumerable<T>
    where T : unmanaged
{
    private readonly SluiceReader _reader;
    private readonly CancellationToken _cancellationToken;

    internal RecordBatchEnumerable(SluiceReader reader, CancellationToken cancellationToken)
    {
        _reader = reader;
        _cancellationToken = cancellationToken;
    }

    /// <summary>Begins where the reader stands at the first <see cref="Enumerator.MoveNext"/>.</summary>
    public Enumerator GetEnumerator() => new(_reader, _cancellationToken);

    /// <summary>The batches, one after another.</summary>
    [StructLayout(LayoutKind.Auto)]
    public ref struct Enumerator
    {
        private readonly SluiceReader _reader;
        private readonly CancellationToken _cancellationToken;
        private ReadOnlySpan<T> _current;
        private T[]? _copy;

        internal Enumerator(SluiceReader reader, CancellationToken cancellationToken)
        {
            _reader = reader;
            _cancellationToken = cancellationToken;
        }

        /// <summary>The records; never empty.</summary>
        public readonly ReadOnlySpan<T> Current => _current;

        /// <summary>Goes to the next records; false at the end of the file.</summary>
        /// <exception cref="InvalidDataException">The file ends within a record.</exception>
        /// <exception cref="IOException">The operating system reported an error.</exception>
        /// <exception cref="ObjectDisposedException">The reader was disposed.</exception>
        /// <exception cref="OperationCanceledException">Cancelled between two blocks.</exception>
        public bool MoveNext()
        {
            if (!_reader.HasUnread(_cancellationToken))
            {
                return false;
            }

            if (_reader.TryTakeRecords<T>(out Memory<byte> bytes, out bool isAligned))
            {
                ReadOnlySpan<T> records = MemoryMarshal.Cast<byte, T>(bytes.Span);
                if (isAligned)
                {
                    _current = records;
                    return true;
                }

                T[] copy = _copy is { } kept && kept.Length >= records.Length ? kept : _copy = new T[records.Length];
                records.CopyTo(copy);
                _current = copy.AsSpan(0, records.Length);
                return true;
            }

            T[] single = _copy ??= new T[1];
            long offset = _reader.Position;
            int got = _reader.Read(MemoryMarshal.AsBytes(single.AsSpan(0, 1)), _cancellationToken);
            if (got < Unsafe.SizeOf<T>())
            {
                Records.ThrowCut<T>(_reader.SluiceHandle.Path, offset, got);
            }

            _current = single.AsSpan(0, 1);
            return true;
        }
    }
}
