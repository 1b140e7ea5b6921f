using System.Collections;

namespace Sluice.Hostile.Tests.Support;

/// <summary>A list, and a sequence, whose every member throws when its turn has come.</summary>
internal sealed class HostileList<T>(Countdown countdown, params T[] elements) : IReadOnlyList<T>
{
    private int _open;

    /// <summary>Enumerators that have not been disposed of.</summary>
    public int OpenEnumerators => Volatile.Read(ref _open);

    public int Count => countdown.Hit(elements.Length);

    public T this[int index] => countdown.Hit(elements[index]);

    public IEnumerator<T> GetEnumerator()
    {
        countdown.Hit();
        return new Enumerator(this);
    }

    IEnumerator IEnumerable.GetEnumerator() => GetEnumerator();

    private sealed class Enumerator : IEnumerator<T>
    {
        private readonly HostileList<T> _list;
        private int _index = -1;
        private bool _isDisposed;

        public Enumerator(HostileList<T> list)
        {
            _list = list;
            _ = Interlocked.Increment(ref list._open);
        }

        public T Current => _list[_index];

        object? IEnumerator.Current => Current;

        public bool MoveNext() => ++_index < _list.Count;

        public void Reset() => throw new NotSupportedException();

        public void Dispose()
        {
            if (!_isDisposed)
            {
                _isDisposed = true;
                _ = Interlocked.Decrement(ref _list._open);
                _list.Hit();
            }
        }
    }

    private void Hit() => countdown.Hit();
}
