namespace Sluice.Log.Appending;

/// <summary>The result of <see cref="PageRing.ActivateNext"/>.</summary>
internal enum ActivationResult
{
    /// <summary>Another page is active: the caller tries again.</summary>
    Activated,

    /// <summary>All pages wait to be written.</summary>
    Full,

    /// <summary>The ring is closed and accepts no more records.</summary>
    Closed,

    /// <summary>The ring is frozen until another thread thaws it.</summary>
    Frozen,
}

/// <summary>
/// The pages of a log in a queue: threads fill the active page, and sealed pages wait in their order for the thread that writes. Any number
/// of threads reserve space and activate pages; one thread at a time writes and releases sealed pages.
/// </summary>
/// <remarks>
/// While the ring is frozen, for a truncation, no thread gets space. The thread that froze it seals and writes all pages. The page that is
/// active at the end was sealed when it was opened and is empty, unless a write failed. A truncation reopens this page with a smaller
/// sequence number and a new epoch: a reservation of an earlier epoch can have a sequence number and a page that belong to other records
/// now.
/// </remarks>
internal sealed class PageRing
{
    private readonly LogPage[] _pages;

    /// <summary>The free pages. The last one written is filled next: its memory is in the processor's caches.</summary>
    private readonly Stack<LogPage> _free;
    private readonly int _start;
    private readonly Lock _activating = new();
    private LogPage _active;
    private long _activeNumber;
    private long _oldest;
    private bool _isClosed;

    private bool _isFrozen;
    private int _epoch;

    /// <param name="pages">The pages, at least two.</param>
    /// <param name="start">The number of bytes left free before the first record of a page.</param>
    /// <param name="firstSequence">The sequence number of the first record.</param>
    public PageRing(IEnumerable<LogPage> pages, int start, long firstSequence)
    {
        _free = new Stack<LogPage>(pages);
        _pages = new LogPage[_free.Count];
        _start = start;
        _active = _pages[0] = _free.Pop();
        _active.Open(firstSequence, start);
    }

    /// <summary>The page that is being filled.</summary>
    public LogPage Active => Volatile.Read(ref _active);

    /// <summary>The number of the page that is being filled; pages before it are sealed.</summary>
    public long ActiveNumber => Volatile.Read(ref _activeNumber);

    /// <summary>The number of truncations. It changes only while the ring is frozen.</summary>
    public int Epoch => Volatile.Read(ref _epoch);

    /// <summary>True if a sealed page waits to be written.</summary>
    public bool HasSealed => Volatile.Read(ref _oldest) < Volatile.Read(ref _activeNumber);

    /// <summary>True if a record waits to be written.</summary>
    public bool HasRecords => HasSealed || Active.ReservedCount > 0;

    /// <summary>The sequence number that the next record would get now.</summary>
    public long NextSequence => NextSequenceIn(out _);

    /// <summary>Returns <see cref="NextSequence"/> and the epoch to which it belongs.</summary>
    public long NextSequenceIn(out int epoch)
    {
        lock (_activating)
        {
            epoch = _epoch;
            return _isClosed ? _active.FirstSequence + _active.Count : _active.FirstSequence + _active.ReservedCount;
        }
    }

    /// <summary>Activates another page, unless another thread has done so since <paramref name="page"/> was active.</summary>
    /// <param name="page">The page that had no space.</param>
    /// <param name="oldestLast">
    /// The last sequence number of the oldest page, which is released next, if all pages are full; otherwise, 0.
    /// </param>
    /// <param name="epoch">The epoch of that number.</param>
    public ActivationResult ActivateNext(LogPage page, out long oldestLast, out int epoch)
    {
        oldestLast = 0;
        lock (_activating)
        {
            epoch = _epoch;
            if (_isClosed)
            {
                return ActivationResult.Closed;
            }

            if (_isFrozen)
            {
                return ActivationResult.Frozen;
            }

            if (_active != page)
            {
                return ActivationResult.Activated;
            }

            if (_activeNumber + 1 - Volatile.Read(ref _oldest) >= _pages.Length)
            {
                LogPage oldest = _pages[_oldest % _pages.Length];
                oldestLast = oldest.FirstSequence + oldest.Count - 1;
                return ActivationResult.Full;
            }

            Advance();
            return ActivationResult.Activated;
        }
    }

    /// <summary>Seals the active page so that it can be written, unless it is empty, no page is free, or the ring is closed.</summary>
    public void TrySealActive()
    {
        lock (_activating)
        {
            if (!_isClosed && _active.ReservedCount > 0 && _activeNumber + 1 - _oldest < _pages.Length)
            {
                Advance();
            }
        }
    }

    /// <summary>
    /// Closes the ring: no more space can be reserved. Sealed pages can still be written. Must not be called while the ring is frozen.
    /// </summary>
    public void Close()
    {
        lock (_activating)
        {
            if (!_isClosed)
            {
                _isClosed = true;
                _ = _active.TrySeal();
                _activeNumber++;
            }
        }
    }

    /// <summary>
    /// Seals the active page, and prevents reservations until the same thread calls <see cref="Thaw"/>. Returns false if the ring is
    /// closed.
    /// </summary>
    public bool TryFreeze()
    {
        lock (_activating)
        {
            if (_isClosed)
            {
                return false;
            }

            _isFrozen = true;
            _ = _active.TrySeal();
            return true;
        }
    }

    /// <summary>Allows reservations again after <see cref="TryFreeze"/>.</summary>
    /// <param name="firstSequence">The next sequence number if records were removed, all of which were written; else null.</param>
    public void Thaw(long? firstSequence)
    {
        lock (_activating)
        {
            if (_active.Count == 0)
            {
                // If the active page has records, it stays sealed, and the next thread that needs space activates another one.
                long first = firstSequence ?? _active.FirstSequence;
                Volatile.Write(ref _epoch, first < _active.FirstSequence ? _epoch + 1 : _epoch);
                _active.Open(first, _start, _epoch);
            }

            _isFrozen = false;
        }
    }

    /// <summary>Returns true if the oldest sealed page has a smaller number. Only for the thread that writes pages, like the members
    /// below.</summary>
    public bool HasSealedBefore(long number) => _oldest < number;

    /// <summary>
    /// Waits until all records of the oldest sealed page are copied, and returns the page. It stays in the ring until
    /// <see cref="Release"/>.
    /// </summary>
    public LogPage AwaitOldest()
    {
        LogPage page = _pages[_oldest % _pages.Length];
        page.AwaitCopies();
        return page;
    }

    /// <summary>Frees the page that <see cref="AwaitOldest"/> returned, after it was written.</summary>
    public void Release()
    {
        lock (_activating)
        {
            _free.Push(_pages[_oldest % _pages.Length]);
            Volatile.Write(ref _oldest, _oldest + 1);
        }
    }

    private void Advance()
    {
        LogPage sealedPage = _active;
        _ = sealedPage.TrySeal();
        LogPage next = _pages[(_activeNumber + 1) % _pages.Length] = _free.Pop();

        // A thread that still refers to this page from before can get space in it as soon as it is open.
        next.Open(sealedPage.FirstSequence + sealedPage.Count, _start, _epoch, isSealed: _isFrozen);
        Volatile.Write(ref _active, next);

        // The number is written last: a thread that sees it may write and release the sealed page.
        Volatile.Write(ref _activeNumber, _activeNumber + 1);
    }
}
