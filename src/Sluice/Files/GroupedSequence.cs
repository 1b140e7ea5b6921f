using System.Runtime.ExceptionServices;

namespace Sluice.Files;

/// <summary>
/// Divides a caller's sequence into groups. An exception of the sequence ends the last group; <see cref="ThrowIfFailed"/> throws it after
/// the preceding elements have been processed. Not thread-safe.
/// </summary>
internal sealed class GroupedSequence<T>(IEnumerable<T> source, int groupLength) : IDisposable
{
    private IEnumerator<T>? _elements;
    private ExceptionDispatchInfo? _error;

    /// <summary>Returns the next group, which is shorter only at the end of the sequence, or null if there are no more elements.</summary>
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
#pragma warning disable CA1031 // ThrowIfFailed throws it.
        catch (Exception e)
        {
            _error = ExceptionDispatchInfo.Capture(e);
        }
#pragma warning restore CA1031
        return count == 0 ? null : count == groupLength ? group : group[..count];
    }

    /// <summary>Throws the exception that the sequence threw, if any.</summary>
    public void ThrowIfFailed() => _error?.Throw();

    public void Dispose() => _elements?.Dispose();
}
