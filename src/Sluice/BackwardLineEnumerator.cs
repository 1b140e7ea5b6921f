using Sluice.Sequential;

namespace Sluice;

/// <summary>The lines of a file as bytes, the last one first. A line stands until the next one is asked for.</summary>
public ref struct BackwardLineEnumerator
{
    private readonly BackwardLines _lines;
    private readonly CancellationToken _cancellationToken;
    private ReadOnlyMemory<byte> _current;

    internal BackwardLineEnumerator(SluiceHandle handle, IProgress<long>? progress, CancellationToken cancellationToken)
    {
        _lines = new BackwardLines(handle, progress);
        _cancellationToken = cancellationToken;
    }

    /// <summary>The line.</summary>
    public readonly ReadOnlySpan<byte> Current => _current.Span;

    /// <summary>This enumerator.</summary>
    public readonly BackwardLineEnumerator GetEnumerator() => this;

    /// <summary>Goes to the line before; false at the start of the file.</summary>
    /// <exception cref="IOException">The operating system reported an error, or the file was cut meanwhile.</exception>
    /// <exception cref="OperationCanceledException">Cancelled between two lines.</exception>
    public bool MoveNext()
    {
        _cancellationToken.ThrowIfCancellationRequested();
        return _lines.TryNext(out _current);
    }
}
