namespace Sluice.Log.Stages;

/// <summary>What became of a wish for a place.</summary>
internal enum TurnResult
{
    /// <summary>There is another page, or there may be: try again.</summary>
    Turned,

    /// <summary>All pages wait to be written.</summary>
    Full,

    /// <summary>No more records are taken.</summary>
    Closed,

    /// <summary>Nobody gets a place until another thread has thawed the ring (<see cref="PageRing.Thawing"/>).</summary>
    Thawing,
}

/// <summary>
/// The pages of a log in a queue: threads fill the active one, full ones wait in their order for whoever writes. Any number of threads take
/// places and turn pages; one at a time takes sealed pages out.
/// </summary>
internal sealed class PageRing
{
    private readonly LogPage[] _pages;

    /// <summary>Those that are free. The last one written is filled next: its memory is in the processor's caches.</summary>
    private readonly Stack<LogPage> _free;
    private readonly int _start;
    private readonly Lock _turning = new();
    private LogPage _active;
    private long _activeNumber;
    private long _oldest;
    private bool _isClosed;

    /// <summary>While the ring is frozen, for those who wait; else null.</summary>
    private TaskCompletionSource? _thawing;
    private int _epoch;

    /// <param name="pages">Two at least.</param>
    /// <param name="start">Bytes left free before the first record of a page.</param>
    /// <param name="firstSequence">Sequence of the first record.</param>
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

    /// <summary>
    /// How often it was thawed at an earlier sequence: what had a place before is written, or dropped, and its numbers and its page may be
    /// others' by now. Changes while the ring is frozen.
    /// </summary>
    public int Epoch => Volatile.Read(ref _epoch);

    /// <summary>Whether a sealed page waits.</summary>
    public bool HasSealed => Volatile.Read(ref _oldest) < Volatile.Read(ref _activeNumber);

    /// <summary>After how many pages that became free those who wait for one are woken.</summary>
    public int WakeEvery => Math.Max(1, _pages.Length / 4);

    /// <summary>Whether a record waits that is not written.</summary>
    public bool HasRecords => HasSealed || Active.TakenCount > 0;

    /// <summary>Ends when the ring is thawed, if it is frozen.</summary>
    public Task Thawing => Volatile.Read(ref _thawing)?.Task ?? Task.CompletedTask;

    /// <summary>The sequence that the next record would get now; while the ring is frozen, as if that came to nothing.</summary>
    public long NextSequence => NextSequenceIn(out _);

    /// <summary>As <see cref="NextSequence"/>, with the epoch that it is of.</summary>
    public long NextSequenceIn(out int epoch)
    {
        using (_turning.EnterAlways())
        {
            epoch = _epoch;
            return _isClosed ? _active.FirstSequence + _active.Count : _active.FirstSequence + _active.TakenCount;
        }
    }

    /// <summary>Makes another page the active one, unless somebody has done so since <paramref name="page"/> was it.</summary>
    /// <param name="page">The page that had no room.</param>
    /// <param name="oldestLast">Where all pages wait: the last sequence of the first that will be free again.</param>
    public TurnResult Turn(LogPage page, out long oldestLast)
    {
        oldestLast = 0;
        using (_turning.EnterAlways())
        {
            if (_isClosed)
            {
                return TurnResult.Closed;
            }

            if (_thawing is not null)
            {
                return TurnResult.Thawing;
            }

            if (_active != page)
            {
                return TurnResult.Turned;
            }

            if (_activeNumber + 1 - Volatile.Read(ref _oldest) >= _pages.Length)
            {
                LogPage oldest = _pages[_oldest % _pages.Length];
                oldestLast = oldest.FirstSequence + oldest.Count - 1;
                return TurnResult.Full;
            }

            Advance();
            return TurnResult.Turned;
        }
    }

    /// <summary>Seals the active page, so that it can be taken out, unless it is empty, or all pages wait.</summary>
    public void TrySealActive()
    {
        using (_turning.EnterAlways())
        {
            if (!_isClosed && _active.TakenCount > 0 && _activeNumber + 1 - _oldest < _pages.Length)
            {
                Advance();
            }
        }
    }

    /// <summary>
    /// Takes no more records, from when it is thawed on where it is frozen, by another thread; those that have a place can be taken out.
    /// </summary>
    public void Close()
    {
        while (!TryClose())
        {
            Thawing.Wait();
        }
    }

    /// <summary>
    /// Lets nobody take a place until <see cref="Thaw"/> or <see cref="Unfreeze"/>, by the same thread, which writes what has a place now.
    /// False, and nothing, where it is closed, or where places are not filled in time: nobody else is to wait for those whose they are.
    /// </summary>
    public bool TryFreeze(int patienceMs)
    {
        TaskCompletionSource thawing = new(TaskCreationOptions.RunContinuationsAsynchronously);
        using (_turning.EnterAlways())
        {
            if (_isClosed)
            {
                return false;
            }

            Volatile.Write(ref _thawing, thawing);
            _ = _active.TrySeal();
        }

        // Others turn no page from here on, and none of them holds the lock for long.
        if (AreFilled(patienceMs))
        {
            return true;
        }

        Unfreeze();
        return false;
    }

    /// <summary>Everything is written: goes on with a sequence.</summary>
    public void Thaw(long firstSequence)
    {
        TaskCompletionSource? thawing;
        using (_turning.EnterAlways())
        {
            Volatile.Write(ref _epoch, firstSequence < _active.FirstSequence ? _epoch + 1 : _epoch);
            _active.Open(firstSequence, _start, _epoch);
            thawing = _thawing;
            Volatile.Write(ref _thawing, null);
        }

        thawing?.TrySetResult();
    }

    /// <summary>Goes on as if nobody had frozen it, whatever is written.</summary>
    public void Unfreeze()
    {
        TaskCompletionSource? thawing;
        using (_turning.EnterAlways())
        {
            if (_active.Count == 0)
            {
                // One with records is turned by whoever needs room.
                _active.Open(_active.FirstSequence, _start, _epoch);
            }

            thawing = _thawing;
            Volatile.Write(ref _thawing, null);
        }

        thawing?.TrySetResult();
    }

    /// <summary>Whether a sealed page has a smaller number than one that is sealed, or the active one; for who takes pages out, as what
    /// follows.</summary>
    public bool HasSealedBefore(long number) => _oldest < number;

    /// <summary>The oldest sealed page, when all of its places are filled; it stays in the ring until <see cref="Release"/>.</summary>
    /// <param name="wakeServed">Called again and again while there is one that is not.</param>
    public LogPage AwaitOldest(Action wakeServed)
    {
        LogPage page = _pages[_oldest % _pages.Length];
        page.AwaitCopies(wakeServed);
        return page;
    }

    /// <summary>The page that <see cref="AwaitOldest"/> gave is written, and free.</summary>
    public void Release()
    {
        using (_turning.EnterAlways())
        {
            _free.Push(_pages[_oldest % _pages.Length]);
            Volatile.Write(ref _oldest, _oldest + 1);
        }
    }

    private bool TryClose()
    {
        using (_turning.EnterAlways())
        {
            if (_thawing is not null)
            {
                return false;
            }

            if (!_isClosed)
            {
                _isClosed = true;
                _ = _active.TrySeal();
                _activeNumber++;
            }

            return true;
        }
    }

    private void Advance()
    {
        LogPage sealedPage = _active;
        _ = sealedPage.TrySeal();
        LogPage next = _pages[(_activeNumber + 1) % _pages.Length] = _free.Pop();

        // Some thread may still know the page from before, and take a place in it as soon as it is open.
        next.Open(sealedPage.FirstSequence + sealedPage.Count, _start, _epoch, isSealed: _thawing is not null);
        Volatile.Write(ref _active, next);

        // Behind the seal and the new page: who sees the number may take the sealed one out.
        Volatile.Write(ref _activeNumber, _activeNumber + 1);
    }

    private bool AreFilled(int patienceMs)
    {
        long end = Environment.TickCount64 + patienceMs;
        SpinWait spin = default;
        long number = _oldest;
        while (number <= _activeNumber)
        {
            if (_pages[number % _pages.Length].IsFilled)
            {
                number++;
            }
            else if (Environment.TickCount64 < end)
            {
                spin.SpinOnce(sleep1Threshold: -1);
            }
            else
            {
                break;
            }
        }

        return number > _activeNumber;
    }
}
