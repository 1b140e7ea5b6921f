using System.Diagnostics.CodeAnalysis;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using Sluice.Sequential;

namespace Sluice;

/// <summary>
/// The records of a <see cref="SluiceReader"/>, for <c>await foreach</c>, as <see cref="RecordBatchEnumerable{T}"/> gives them. Their
/// memory is used again when the next ones are asked for: this is therefore no <see cref="IAsyncEnumerable{T}"/>, whose elements might be
/// collected.
/// </summary>
/// <typeparam name="T">The record: its bytes in memory are those in the file, byte order included.</typeparam>
public readonly struct AsyncRecordBatchEnumerable<T>
    where T : unmanaged
{
    private readonly SluiceReader _reader;
    private readonly CancellationToken _cancellationToken;

    internal AsyncRecordBatchEnumerable(SluiceReader reader, CancellationToken cancellationToken)
    {
        _reader = reader;
        _cancellationToken = cancellationToken;
    }

    /// <summary>Begins where the reader stands at the first <see cref="Enumerator.MoveNextAsync"/>.</summary>
    [SuppressMessage("Naming", "VSTHRD200", Justification = "The name is the language's own.")]
    public Enumerator GetAsyncEnumerator() => new(_reader, _cancellationToken);

    /// <summary>The batches, one after another.</summary>
    public sealed class Enumerator
    {
        private readonly SluiceReader _reader;
        private readonly CancellationToken _cancellationToken;
        private readonly T[] _single = new T[1];
        private int _got;

        internal Enumerator(SluiceReader reader, CancellationToken cancellationToken)
        {
            _reader = reader;
            _cancellationToken = cancellationToken;
        }

        /// <summary>The records; never empty.</summary>
        public ReadOnlyMemory<T> Current { get; private set; }

        /// <summary>Goes to the next records; false at the end of the file.</summary>
        /// <exception cref="InvalidDataException">The file ends within a record.</exception>
        /// <exception cref="IOException">The operating system reported an error.</exception>
        /// <exception cref="ObjectDisposedException">The reader was disposed.</exception>
        /// <exception cref="OperationCanceledException">
        /// Cancelled at the border of two blocks. The reader stands before the record that comes next; on a pipe, which cannot go back,
        /// what there is of that record stays here for the next call.
        /// </exception>
        public async ValueTask<bool> MoveNextAsync()
        {
            try
            {
                while (await _reader.HasUnreadAsync(_cancellationToken).ConfigureAwait(false))
                {
                    if (_got == 0 && _reader.TryTakeRecords<T>(out Memory<byte> bytes, out bool isAligned))
                    {
                        Current = isAligned
                            ? new RecordMemory<T>(bytes).Memory
                            : MemoryMarshal.Cast<byte, T>(bytes.Span).ToArray();
                        return true;
                    }

                    // A record across the border of two blocks.
                    _got += _reader.TakeInto(MemoryMarshal.AsBytes(_single.AsSpan())[_got..]);
                    if (_got == Unsafe.SizeOf<T>())
                    {
                        _got = 0;
                        Current = _single;
                        return true;
                    }
                }
            }
            catch when (_got > 0 && !_reader.IsDisposed && _reader.SluiceHandle.CanSeek)
            {
                _reader.Seek(_reader.Position - _got);
                _got = 0;
                throw;
            }

            if (_got > 0)
            {
                int got = _got;
                _got = 0;
                Records.ThrowCut<T>(_reader.SluiceHandle.Path, _reader.Position - got, got);
            }

            return false;
        }
    }
}
