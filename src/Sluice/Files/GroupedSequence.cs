using System.Runtime.ExceptionServices;

namespace Sluice.Files;

/// <summary>
/// Takes a caller's sequence in groups. What the sequence throws ends it like its end, and is kept for when the elements before it have
/// had their turn. Not thread-safe.
/// </summary>
internal sealed class GroupedSequence<T>(IEnumerable<T> source, int groupLength) : IDisposable
{
    private IEnumerator<T>? _elements;
    private ExceptionDispatchInfo? _error;

    /// <summary>The next elements: a whole group, or what is left; null at the end.</summary>
    public T[]? Next()
    {
        if (_error is not null)
        {
            return null;
        }

        T[] group = new T[groupLength];
        int count = 0;
        try
        {
            _elements ??= source.GetEnumerator();
            while (count < groupLength && _elements.MoveNext())
            {
                group[count] = _elements.Current;
                count++;
            }
        }
#pragma warning disable CA1031 // Whatever it is, it is thrown by ThrowIfFailed.
        catch (Exception e)
        {
            _error = ExceptionDispatchInfo.Capture(e);
        }
#pragma warning restore CA1031
        return count == 0 ? null : count == groupLength ? group : group[..count];
    }

    /// <summary>Throws what the sequence threw.</summary>
    public void ThrowIfFailed() => _error?.Throw();

    public void Dispose() => _elements?.Dispose();
}
