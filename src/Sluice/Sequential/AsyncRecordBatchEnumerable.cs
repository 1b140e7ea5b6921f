using System.Diagnostics.CodeAnalysis;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using Sluice.Sequential;

namespace Sluice;

/// <summary>
/// Enumerates the records of a <see cref="SluiceReader"/> in batches with <c>await foreach</c>. Instances are returned by
/// <see cref="SluiceReader.EnumerateRecordBatchesAsync{T}"/>.
/// </summary>
/// <typeparam name="T">
/// The type of the records. A record has the same layout and byte order in the file as this type has in memory.
/// </typeparam>
/// <remarks>
/// <para>The number of records in a batch varies. Each batch is valid until the next one is requested. For this reason, the type does not
/// implement <see cref="IAsyncEnumerable{T}"/>.</para>
/// <para>This type is not thread-safe, because it uses a <see cref="SluiceReader"/>.</para>
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
    /// An enumerator. It starts at the position of the reader at the time of the first call to <see cref="Enumerator.MoveNextAsync"/>.
    /// </returns>
    [SuppressMessage("Naming", "VSTHRD200", Justification = "The name is the language's own.")]
    public Enumerator GetAsyncEnumerator() => new(_reader, _cancellationToken);

    /// <summary>Configures how an <c>await foreach</c> statement awaits the batches.</summary>
    /// <param name="continueOnCapturedContext">
    /// <see langword="true"/> to continue on the captured context; otherwise, <see langword="false"/>.
    /// </param>
    /// <returns>The configured enumerable.</returns>
    public Configured ConfigureAwait(bool continueOnCapturedContext) => new(GetAsyncEnumerator(), continueOnCapturedContext);

    /// <summary>
    /// Enumerates the batches of a <see cref="SluiceReader"/> with configured awaits. Instances are returned by
    /// <see cref="ConfigureAwait"/>.
    /// </summary>
    /// <remarks>This type is not thread-safe.</remarks>
    public readonly struct Configured
    {
        private readonly AsyncRecordBatchEnumerable<T>.Enumerator _enumerator;
        private readonly bool _continueOnCapturedContext;

        internal Configured(AsyncRecordBatchEnumerable<T>.Enumerator enumerator, bool continueOnCapturedContext)
        {
            _enumerator = enumerator;
            _continueOnCapturedContext = continueOnCapturedContext;
        }

        /// <summary>Returns an enumerator for the batches.</summary>
        /// <returns>
        /// An enumerator. It starts at the position of the reader at the time of the first call to <see cref="Enumerator.MoveNextAsync"/>.
        /// </returns>
        [SuppressMessage("Naming", "VSTHRD200", Justification = "The name is the language's own.")]
        public Enumerator GetAsyncEnumerator() => new(_enumerator, _continueOnCapturedContext);

        /// <summary>Asynchronously enumerates the batches of a <see cref="SluiceReader"/> with configured awaits.</summary>
        /// <remarks>This type is not thread-safe.</remarks>
        public readonly struct Enumerator
        {
            private readonly AsyncRecordBatchEnumerable<T>.Enumerator _enumerator;
            private readonly bool _continueOnCapturedContext;

            internal Enumerator(AsyncRecordBatchEnumerable<T>.Enumerator enumerator, bool continueOnCapturedContext)
            {
                _enumerator = enumerator;
                _continueOnCapturedContext = continueOnCapturedContext;
            }

            /// <summary>
            /// Gets the records of the current batch, which is never empty. They are valid until the next call to
            /// <see cref="MoveNextAsync"/>.
            /// </summary>
            public ReadOnlyMemory<T> Current => _enumerator.Current;

            /// <summary>Asynchronously advances the enumerator to the next batch.</summary>
            /// <returns><see langword="true"/> if there is another batch; <see langword="false"/> at the end of the file.</returns>
            /// <inheritdoc cref="AsyncRecordBatchEnumerable{T}.Enumerator.MoveNextAsync" path="/exception"/>
            [SuppressMessage("Naming", "VSTHRD200", Justification = "The name is the language's own.")]
            public ConfiguredValueTaskAwaitable<bool> MoveNextAsync() =>
                _enumerator.MoveNextAsync().ConfigureAwait(_continueOnCapturedContext);
        }
    }

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
        /// The cancellation token was canceled. No data is lost: the next call on the reader continues with the record that was not
        /// returned.
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

                    // Copies a record that spans two blocks.
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
