using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using Sluice.Sequential;

namespace Sluice;

/// <summary>
/// Enumerates the records of a <see cref="SluiceReader"/> in batches with <c>foreach</c>. Instances are returned by
/// <see cref="SluiceReader.EnumerateRecordBatches{T}"/>.
/// </summary>
/// <typeparam name="T">
/// The type of the records. A record has the same layout and byte order in the file as this type has in memory.
/// </typeparam>
/// <remarks>
/// <para>The number of records in a batch varies. Each batch is valid until the next one is requested.</para>
/// <para>This type is not thread-safe, because it uses a <see cref="SluiceReader"/>.</para>
/// </remarks>
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

    /// <summary>Returns an enumerator for the batches.</summary>
    /// <returns>
    /// An enumerator. It starts at the position of the reader at the time of the first call to <see cref="Enumerator.MoveNext"/>.
    /// </returns>
    public Enumerator GetEnumerator() => new(_reader, _cancellationToken);

    /// <summary>Enumerates the records of a <see cref="SluiceReader"/> in batches.</summary>
    /// <remarks>This type is not thread-safe.</remarks>
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

        /// <summary>
        /// Gets the records of the current batch, which is never empty. They are valid until the next call to
        /// <see cref="MoveNext"/>.
        /// </summary>
        public readonly ReadOnlySpan<T> Current => _current;

        /// <summary>Advances the enumerator to the next batch.</summary>
        /// <returns><see langword="true"/> if there is another batch; <see langword="false"/> at the end of the file.</returns>
        /// <exception cref="InvalidDataException">The file ends within a record.</exception>
        /// <exception cref="IOException">An I/O error occurred.</exception>
        /// <exception cref="ObjectDisposedException">The reader is closed.</exception>
        /// <exception cref="InvalidOperationException">Another call on the reader is in progress.</exception>
        /// <exception cref="OperationCanceledException">The cancellation token was canceled.</exception>
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
