using System.Collections;

namespace Sluice.Tests.Support;

/// <summary>A list whose answers are counted, and may differ from one time to the next.</summary>
internal sealed class AnsweringList<T>(Func<int, int, T> answer, params int[] counts) : IReadOnlyList<T>
{
    private readonly Dictionary<int, int> _asked = [];
    private int _countAsked;

    /// <summary>How often the element that was asked for most was asked for.</summary>
    public int MaxAsked => _asked.Values.DefaultIfEmpty(0).Max();

    public int CountAsked => _countAsked;

    public int Count => counts[Math.Min(_countAsked++, counts.Length - 1)];

    public T this[int index]
    {
        get
        {
            int before = _asked.GetValueOrDefault(index);
            _asked[index] = before + 1;
            return answer(index, before);
        }
    }

    public IEnumerator<T> GetEnumerator() => throw new NotSupportedException("only the indexer is used");

    IEnumerator IEnumerable.GetEnumerator() => GetEnumerator();
}
