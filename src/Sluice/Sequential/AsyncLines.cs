using System.Diagnostics.CodeAnalysis;
using System.Runtime.CompilerServices;
using Sluice.Sequential;

namespace Sluice;

/// <summary>
/// Enumerates the lines of a <see cref="SluiceReader"/> with <c>await foreach</c>. Instances are returned by
/// <see cref="SluiceReader.EnumerateLinesAsync"/>.
/// </summary>
/// <remarks>
/// <para>The lines are returned as bytes without their line endings, which are LF, CR LF or a single CR. Each line is valid until the next
/// one is requested. For this reason, the type does not implement <see cref="IAsyncEnumerable{T}"/>.</para>
/// <para>This type is not thread-safe, because it uses a <see cref="SluiceReader"/>.</para>
/// </remarks>
public readonly struct AsyncLineEnumerable
{
    private readonly SluiceReader _reader;
    private readonly CancellationToken _cancellationToken;

    internal AsyncLineEnumerable(SluiceReader reader, CancellationToken cancellationToken)
    {
        _reader = reader;
        _cancellationToken = cancellationToken;
    }

    /// <summary>Returns an enumerator for the lines.</summary>
    /// <returns>
    /// An enumerator. It starts at the position of the reader at the time of the first call to <see cref="Enumerator.MoveNextAsync"/>.
    /// </returns>
    [SuppressMessage("Naming", "VSTHRD200", Justification = "The name is the language's own.")]
    public Enumerator GetAsyncEnumerator() => new(_reader, _cancellationToken);

    /// <summary>Configures how an <c>await foreach</c> statement awaits the lines.</summary>
    /// <param name="continueOnCapturedContext">
    /// <see langword="true"/> to continue on the captured context; otherwise, <see langword="false"/>.
    /// </param>
    /// <returns>The configured enumerable.</returns>
    public Configured ConfigureAwait(bool continueOnCapturedContext) => new(GetAsyncEnumerator(), continueOnCapturedContext);

    /// <summary>
    /// Enumerates the lines of a <see cref="SluiceReader"/> with configured awaits. Instances are returned by
    /// <see cref="ConfigureAwait"/>.
    /// </summary>
    /// <remarks>This type is not thread-safe.</remarks>
    public readonly struct Configured
    {
        private readonly AsyncLineEnumerable.Enumerator _enumerator;
        private readonly bool _continueOnCapturedContext;

        internal Configured(AsyncLineEnumerable.Enumerator enumerator, bool continueOnCapturedContext)
        {
            _enumerator = enumerator;
            _continueOnCapturedContext = continueOnCapturedContext;
        }

        /// <summary>Returns an enumerator for the lines.</summary>
        /// <returns>
        /// An enumerator. It starts at the position of the reader at the time of the first call to <see cref="Enumerator.MoveNextAsync"/>.
        /// </returns>
        [SuppressMessage("Naming", "VSTHRD200", Justification = "The name is the language's own.")]
        public Enumerator GetAsyncEnumerator() => new(_enumerator, _continueOnCapturedContext);

        /// <summary>Asynchronously enumerates the lines of a <see cref="SluiceReader"/> with configured awaits.</summary>
        /// <remarks>This type is not thread-safe.</remarks>
        public readonly struct Enumerator
        {
            private readonly AsyncLineEnumerable.Enumerator _enumerator;
            private readonly bool _continueOnCapturedContext;

            internal Enumerator(AsyncLineEnumerable.Enumerator enumerator, bool continueOnCapturedContext)
            {
                _enumerator = enumerator;
                _continueOnCapturedContext = continueOnCapturedContext;
            }

            /// <summary>
            /// Gets the current line, without its line ending. It is valid until the next call to <see cref="MoveNextAsync"/>.
            /// </summary>
            public ReadOnlyMemory<byte> Current => _enumerator.Current;

            /// <summary>Asynchronously advances the enumerator to the next line.</summary>
            /// <returns><see langword="true"/> if there is another line; <see langword="false"/> at the end of the file.</returns>
            /// <inheritdoc cref="AsyncLineEnumerable.Enumerator.MoveNextAsync" path="/exception"/>
            [SuppressMessage("Naming", "VSTHRD200", Justification = "The name is the language's own.")]
            public ConfiguredValueTaskAwaitable<bool> MoveNextAsync() =>
                _enumerator.MoveNextAsync().ConfigureAwait(_continueOnCapturedContext);
        }
    }

    /// <summary>Asynchronously enumerates the lines of a <see cref="SluiceReader"/>.</summary>
    /// <remarks>This type is not thread-safe.</remarks>
    public sealed class Enumerator
    {
        private readonly SluiceReader _reader;
        private readonly CancellationToken _cancellationToken;
        private ReadOnlyMemory<byte> _block;
        private NewlineScanner _scanner;
        private int _start;
        private byte[] _copy = [];

        internal Enumerator(SluiceReader reader, CancellationToken cancellationToken)
        {
            _reader = reader;
            _cancellationToken = cancellationToken;
        }

        /// <summary>
        /// Gets the current line, without its line ending. It is valid until the next call to <see cref="MoveNextAsync"/>.
        /// </summary>
        public ReadOnlyMemory<byte> Current { get; private set; }

        /// <summary>Asynchronously advances the enumerator to the next line.</summary>
        /// <returns><see langword="true"/> if there is another line; <see langword="false"/> at the end of the file.</returns>
        /// <exception cref="IOException">An I/O error occurred, or a line is longer than 2 GiB.</exception>
        /// <exception cref="ObjectDisposedException">The reader is closed.</exception>
        /// <exception cref="InvalidOperationException">Another call on the reader is in progress.</exception>
        /// <exception cref="OperationCanceledException">
        /// The cancellation token was canceled. No data is lost: the next call on the reader continues with the line that was not returned.
        /// </exception>
        public ValueTask<bool> MoveNextAsync()
        {
            ReadOnlySpan<byte> block = _block.Span;
            int end;
            do
            {
                end = _scanner.Next(block);
            }
            while (end >= 0 && end < _start);
            if (end < 0 || (block[end] == '\r' && end + 1 == block.Length) || _reader.IsDisposed)
            {
                return MoveNextSlowAsync();
            }

            Current = _block[_start..end];
            _start = end + (block[end] == '\r' && block[end + 1] == '\n' ? 2 : 1);
            _reader.Consumed = _start;
            return new ValueTask<bool>(true);
        }

        private async ValueTask<bool> MoveNextSlowAsync()
        {
            ObjectDisposedException.ThrowIf(_reader.IsDisposed, _reader);
            do
            {
                if (TryTake())
                {
                    return true;
                }
            }
            while (await _reader.NextBlockOfLineAsync(_cancellationToken).ConfigureAwait(false));
            bool result = _reader.TryTakeLastLine(out ReadOnlySpan<byte> line);
            Take(line);
            return result;
        }

        private bool TryTake()
        {
            if (!_reader.TryTakeLine(out ReadOnlySpan<byte> line))
            {
                return false;
            }

            Take(line);
            return true;
        }

        /// <summary>Sets the line at a block boundary, whose bytes may be in the carry, and continues in the new block.</summary>
        private void Take(ReadOnlySpan<byte> line)
        {
            if (line.Length > _copy.Length)
            {
                _copy = new byte[Math.Max(line.Length, 256)];
            }

            line.CopyTo(_copy);
            Current = _copy.AsMemory(0, line.Length);
            _block = _reader.Block;
            _start = _reader.Consumed;
            _scanner = new NewlineScanner(_start);
        }
    }
}
