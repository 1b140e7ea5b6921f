using System.Diagnostics.CodeAnalysis;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using Sluice.Sequential;

namespace Sluice;

/// <summary>
/// Enumerates the records of a <see cref="SluiceReader"/> in batches with <c>await foreach</c>. It is returned by
/// <see cref="SluiceReader.EnumerateRecordBatchesAsync{T}"/>.
/// </summary>
/// <typeparam name="T">
/// The type of the records. The layout of a record in the file is the layout of this type in memory, including its byte order.
/// </typeparam>
/// <remarks>
/// <para>A batch contains all complete records of one block. A record that crosses the boundary of two blocks is returned as a
/// batch of its own. The memory of a batch is reused: each batch is valid until the next one is requested. For this reason, the
/// type does not implement <see cref="IAsyncEnumerable{T}"/>, whose elements can be collected.</para>
/// <para>The value itself is immutable, but it reads from its <see cref="SluiceReader"/>, which is not thread-safe.</para>
/// </remarks>
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

    /// <summary>Returns an enumerator for the batches.</summary>
    /// <returns>
    /// An enumerator that starts at the position that the reader has at the first call to <see cref="Enumerator.MoveNextAsync"/>.
    /// </returns>
    [SuppressMessage("Naming", "VSTHRD200", Justification = "The name is the language's own.")]
    public Enumerator GetAsyncEnumerator() => new(_reader, _cancellationToken);

    /// <summary>Asynchronously enumerates the records of a <see cref="SluiceReader"/> in batches.</summary>
    /// <remarks>This type is not thread-safe.</remarks>
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

        /// <summary>
        /// Gets the records of the current batch, which is never empty. They are valid until the next call to
        /// <see cref="MoveNextAsync"/>.
        /// </summary>
        public ReadOnlyMemory<T> Current { get; private set; }

        /// <summary>Asynchronously advances the enumerator to the next batch.</summary>
        /// <returns><see langword="true"/> if there is another batch; <see langword="false"/> at the end of the file.</returns>
        /// <exception cref="InvalidDataException">The file ends within a record.</exception>
        /// <exception cref="IOException">An I/O error occurred.</exception>
        /// <exception cref="ObjectDisposedException">The reader is closed.</exception>
        /// <exception cref="InvalidOperationException">Another call on the reader is in progress.</exception>
        /// <exception cref="OperationCanceledException">
        /// The cancellation token was canceled while the next block was awaited. The reader is positioned at the start of the
        /// next record. A pipe cannot go back: the part of that record that was read is kept for the next call.
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
