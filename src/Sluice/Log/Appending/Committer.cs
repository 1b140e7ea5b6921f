using Sluice.Log.Folders;

namespace Sluice.Log.Appending;

/// <summary>
/// Writes the pages of a log and makes them durable. A thread that waits for its record leads: it writes, or writes and syncs, for all that
/// wait. Requests that are too late for a round are served by the log's worker. Writes continue during a sync.
/// </summary>
/// <remarks>
/// After a failed sync nothing more is written or acknowledged (<see cref="Failure"/>): the kernel reports a lost page only once, so that a
/// later successful sync proves nothing.
/// </remarks>
internal sealed class Committer
{
    private readonly PageRing _ring;
    private readonly LogOutput _output;
    private readonly string _directory;
    private readonly StateFile _stateFile;
    private readonly LogWorker _worker;

    /// <summary>Held while pages are written.</summary>
    private readonly Lock _writing = new();

    /// <summary>Held during a sync; taken before <see cref="_writing"/>.</summary>
    private readonly Lock _syncing = new();

    /// <summary>Tasks that wait for a write. Guarded by <see cref="_writing"/>, except for additions.</summary>
    private readonly WaiterList _writers = new();

    /// <summary>Threads and tasks that wait for a sync. Guarded by <see cref="_syncing"/>, except for additions.</summary>
    private readonly WaiterList _syncers = new();

    /// <summary>
    /// The last record that had space reserved when the last write began; <see cref="long.MaxValue"/> after the log has stopped. If that
    /// write fails, later records are not affected and are written with the next one. Guarded by <see cref="_writing"/>.
    /// </summary>
    private long _attempted;

    private long _written;
    private long _durable;
    private Exception? _failure;
    private Exception? _closed;

    /// <summary>True if the last write failed: the remaining pages are written after the interval.</summary>
    private bool _hasFailed;

    /// <param name="ring">The pages.</param>
    /// <param name="output">The files.</param>
    /// <param name="directory">The log's folder, for messages.</param>
    /// <param name="stateFile">Holds the last durable sequence number.</param>
    /// <param name="written">The last sequence number that is in the files.</param>
    /// <param name="intervalMs">The time, in milliseconds, after which buffered records are written.</param>
    public Committer(PageRing ring, LogOutput output, string directory, StateFile stateFile, long written, int intervalMs)
    {
        (_ring, _output, _directory, _stateFile, _written, _durable) = (ring, output, directory, stateFile, written, output.DurableSequence);
        _worker = new LogWorker(intervalMs, Round, () => Stopped is null && (_ring.HasRecords || _stateFile.IsStale(Durable)));
    }

    /// <summary>Called if the keeper has work to do.</summary>
    public Action? SignalKeeper { get; set; }

    /// <summary>The last sequence number that the operating system has.</summary>
    public long Written => Volatile.Read(ref _written);

    /// <summary>The last sequence number that is on the disk.</summary>
    public long Durable => Volatile.Read(ref _durable);

    /// <summary>
    /// The error after which nothing more is written or acknowledged, for example that of a sync; null if there was none.
    /// </summary>
    public Exception? Failure => Volatile.Read(ref _failure);

    /// <summary>The reason why nothing more is written: <see cref="Failure"/>, or the log is closed; otherwise, null.</summary>
    public Exception? Stopped => Failure ?? Volatile.Read(ref _closed);

    /// <summary>Requests a round of the log's worker.</summary>
    public void Signal() => _worker.Signal();

    /// <summary>Ensures that the records in the ring are written within the interval.</summary>
    public void Rouse() => _worker.Rouse();

    /// <summary>Ends the log's worker. Afterwards each waiting thread writes and syncs itself.</summary>
    public void End()
    {
        _worker.End();

        // The requests of threads that signaled the worker before it ended are served here.
        TrySync();
        lock (_writing)
        {
            _ = WriteAll();
        }
    }

    /// <summary>Waits until a record is written or was removed. This thread writes it, unless another one does.</summary>
    /// <param name="sequence">The sequence number of the record.</param>
    /// <param name="reserved">
    /// The space of the caller's own records, which end with this record. Without own records, only its epoch is used.
    /// </param>
    /// <param name="ownRecords">The number of these records; 0 if the wait is for records of others.</param>
    /// <exception cref="IOException">The records could not be written.</exception>
    public void WaitWritten(long sequence, in PageReservation reserved, int ownRecords)
    {
        if (sequence <= Written || reserved.Epoch != _ring.Epoch)
        {
            return;
        }

        lock (_writing)
        {
            if (sequence > Written && reserved.Epoch == _ring.Epoch && WriteAll() is { } error && sequence > Written)
            {
                Withdraw(reserved, ownRecords);
                throw LogErrors.Failed(_directory, "Appending to", error);
            }
        }
    }

    /// <summary>Waits until a record is durable or was removed. This thread syncs, unless another one does.</summary>
    /// <inheritdoc cref="WaitWritten"/>
    public void WaitDurable(long sequence, in PageReservation reserved, int ownRecords)
    {
        if (sequence <= Durable && reserved.Epoch == _ring.Epoch)
        {
            return;
        }

        SyncWaiter waiter = SyncWaiter.Rent();
        waiter.Begin(sequence, ownRecords, reserved);
        try
        {
            _syncers.Push(waiter);
            TrySync();
            waiter.Sleep();
            waiter.ThrowIfFailed();
        }
        finally
        {
            waiter.Return();
        }
    }

    /// <summary>Adds a task that waits for a write or for a sync.</summary>
    public void Push(AsyncWaiter waiter, bool isDurable)
    {
        (isDurable ? _syncers : _writers).Push(waiter);
        if (!_worker.HasEnded)
        {
            Signal();
        }
        else if (isDurable)
        {
            TrySync();
        }
        else
        {
            lock (_writing)
            {
                _ = WriteAll();
            }
        }
    }

    /// <summary>Writes all records that have space reserved now, and makes them durable. <see cref="_syncing"/> is held.</summary>
    /// <returns>The error, or null. The waits that are affected have already failed with it.</returns>
    public Exception? Commit()
    {
        Exception? error;
        long target;
        lock (_writing)
        {
            error = WriteAll();
            if (error is not null)
            {
                FailUnwritten(_syncers, Durable, error);
            }

            target = Written;
            if (target > Durable && Stopped is null)
            {
                _output.BeginSync();
            }
        }

        Exception? failure = target > Durable ? Sync(target) : null;
        if (Stopped is null && _stateFile.IsStale(Durable))
        {
            WriteState();
        }

        if (failure is null)
        {
            _syncers.Sift(Durable, _ring.Epoch);
        }
        else
        {
            FailNotDurable(failure);
        }

        return failure ?? error;
    }

    /// <summary>Calls an action while no other thread syncs. Other threads can write meanwhile.</summary>
    public void WithSyncLock(Action action)
    {
        _syncing.Enter();
        try
        {
            action();
        }
        finally
        {
            LeaveSync();
        }
    }

    /// <summary>Calls an action while no other thread syncs or writes.</summary>
    public void WithSyncAndWriteLocks(Action action) => WithSyncLock(() =>
    {
        lock (_writing)
        {
            action();
        }
    });

    /// <summary>Stops the log after an error: nothing more is written or acknowledged.</summary>
    public void Fail(Exception error)
    {
        _output.LastError = error;
        _ = Interlocked.CompareExchange(ref _failure, LogErrors.MustReopen(error), null);
    }

    /// <summary>
    /// Stops all writes, because another writer may open the files from now on. Called within <see cref="WithSyncAndWriteLocks"/>.
    /// </summary>
    public void StopWrites() => Volatile.Write(ref _closed, LogErrors.ClosedBeforeWritten(_directory));

    /// <summary>
    /// Seals and closes the full segments that are durable; called within <see cref="WithSyncLock"/>. A footer is trusted only if a
    /// log.state on the disk covers it: if log.state could not be written since the last sync, the segments are closed without a footer.
    /// </summary>
    /// <returns>The error of a segment that has no footer now; null if there was none.</returns>
    /// <exception cref="IOException">log.state could not be made durable; nothing more is acknowledged.</exception>
    public Exception? CloseFull()
    {
        if (!_output.HasFull)
        {
            return null;
        }

        bool isCovered = !_stateFile.IsStale(Durable);
        if (isCovered)
        {
            try
            {
                _stateFile.Flush();
            }
            catch (Exception e)
            {
                Fail(e);
                throw;
            }
        }

        return _output.CloseFull(isCovered);
    }

    /// <summary>Removes all records after the specified one. Called within <see cref="WithSyncLock"/>, after <see cref="Commit"/>.</summary>
    /// <param name="output">The files.</param>
    /// <param name="lastKept">The sequence number of the last record to keep.</param>
    /// <returns>False if the log is closed.</returns>
    /// <exception cref="IOException">The records could not be removed.</exception>
    public bool TryTruncate(FramedOutput output, long lastKept)
    {
        lock (_writing)
        {
            ThrowIfNotWritten(WriteAll());
            if (!_ring.TryFreeze())
            {
                return false;
            }

            long? next = null;
            try
            {
                ThrowIfNotWritten(WriteAll() ?? Failure);
                if (Written > Durable)
                {
                    // Other threads have appended records since the sync.
                    _output.BeginSync();
                    ThrowIfNotWritten(Sync(Written));
                }

                output.Truncate(lastKept, _stateFile.Lower, Fail);
                next = lastKept + 1;
                Volatile.Write(ref _written, lastKept);
                Volatile.Write(ref _durable, lastKept);
                WriteState();
                return true;
            }
            finally
            {
                // The epoch changes only if records were removed. The removed records were durable before, so that the waits for them end.
                _ring.Thaw(next);
                _writers.Sift(Written, _ring.Epoch);
                _syncers.Sift(Durable, _ring.Epoch);
            }
        }
    }

    private void ThrowIfNotWritten(Exception? error)
    {
        if (error is not null)
        {
            throw LogErrors.Failed(_directory, "Truncating", error);
        }
    }

    /// <summary>
    /// Writes the sealed pages, unless the log has stopped. Pages that could not be written stay in the ring, and are written again within
    /// the interval. <see cref="_writing"/> is held.
    /// </summary>
    /// <param name="sealsActive">True to write the page that is being filled, too.</param>
    /// <returns>The error, or null. The waits for writes that are affected have already failed with it.</returns>
    private Exception? WriteAll(bool sealsActive = true)
    {
        Exception? error = Stopped;
        _attempted = error is null ? _ring.NextSequence - 1 : long.MaxValue;
        error ??= TryWriteAll(sealsActive);
        if (error is null)
        {
            _writers.Sift(Written, _ring.Epoch);
        }
        else
        {
            FailUnwritten(_writers, Written, error);
        }

        return error;
    }

    private Exception? TryWriteAll(bool sealsActive)
    {
        try
        {
            // The bound is taken now, because other threads may fill pages as fast as they are written.
            WriteBefore(_ring.ActiveNumber);
            if (sealsActive)
            {
                // The page is sealed as late as possible, so that many records are in it.
                _ring.TrySealActive();
                WriteBefore(_ring.ActiveNumber);
            }

            Volatile.Write(ref _hasFailed, false);
            if (_output.NeedsHousekeeping)
            {
                SignalKeeper?.Invoke();
            }

            return null;
        }
        catch (Exception e)
        {
            _output.LastError = e;
            Volatile.Write(ref _hasFailed, true);
            Interlocked.MemoryBarrier();
            Rouse();
            return e;
        }
    }

    private void WriteBefore(long number)
    {
        while (_ring.HasSealedBefore(number))
        {
            LogPage page = _ring.AwaitOldest();
            if (page.Count > 0)
            {
                _output.Write(page.HasWithdrawnRecords ? page.WithoutWithdrawnBytes() : page);
            }

            long last = page.FirstSequence + page.Count - 1;
            _ring.Release();
            Volatile.Write(ref _written, last);
        }
    }

    // These are separate methods, because a lambda that captures an error allocates even if there is no error.
    private void FailUnwritten(WaiterList waiters, long reached, Exception error) =>
        waiters.Sift(reached, _ring.Epoch, w =>
        {
            if (w.Target <= Written || w.Target > _attempted)
            {
                return null;
            }

            Withdraw(w.Reservation, w.OwnRecords);
            return LogErrors.Failed(_directory, "Appending to", error);
        });

    private void FailNotDurable(Exception error) =>
        _syncers.Sift(Durable, _ring.Epoch, _ => LogErrors.Failed(_directory, "Making durable", error));

    /// <summary>
    /// Withdraws records whose append fails, so that they are not written later. They are in one page that is still unwritten, and their
    /// epoch is the current one. Does nothing for a raw log.
    /// </summary>
    private void Withdraw(in PageReservation reserved, int ownRecords)
    {
        if (ownRecords > 0 && _output.RecordHeaderBytes > 0)
        {
            reserved.Page!.Withdraw(reserved, ownRecords);
        }
    }

    /// <summary>
    /// Runs a sync, unless another thread runs one. That thread, or the log's worker, then serves all waiters that were added before.
    /// </summary>
    private void TrySync()
    {
        if (_syncing.TryEnter())
        {
            try
            {
                _ = Commit();
            }
            finally
            {
                LeaveSync();
            }
        }
    }

    private void LeaveSync()
    {
        _syncing.Exit();
        _syncers.WakeEnded();

        // A thread that found the lock taken has added its waiter before, which is seen here.
        Interlocked.MemoryBarrier();
        if (!_syncers.IsEmpty)
        {
            if (_worker.HasEnded)
            {
                TrySync();
            }
            else
            {
                Signal();
            }
        }
    }

    private Exception? Sync(long target)
    {
        if (Stopped is { } earlier)
        {
            return earlier;
        }

        try
        {
            _output.Sync();
        }
        catch (Exception e)
        {
            Fail(e);
            Volatile.Write(ref _durable, Math.Max(Durable, _output.DurableSequence));
            return Failure;
        }

        try
        {
            _output.ConfirmSynced(isTold: !_syncers.IsEmpty);
            Volatile.Write(ref _durable, target);
            return null;
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            _output.LastError = e;
            return e;
        }
    }

    /// <summary>
    /// Writes the last durable sequence number to log.state. If that fails, the smaller number in the file stays valid, and the log's
    /// worker or the next sync writes it again.
    /// </summary>
    private void WriteState()
    {
        try
        {
            _stateFile.Write(Durable);
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            _output.LastError = e;
            Interlocked.MemoryBarrier();
            Rouse();
        }
    }

    /// <summary>Runs one round of the log's worker.</summary>
    private void Round(bool asked)
    {
        try
        {
            if (!_syncers.IsEmpty || (_stateFile.IsStale(Durable) && Stopped is null))
            {
                _syncing.Enter();
                try
                {
                    _ = Commit();
                }
                finally
                {
                    LeaveSync();
                }
            }

            lock (_writing)
            {
                bool sealsActive = !asked || !_writers.IsEmpty;

                // If a write has just failed and no thread waits for it, it is repeated after the interval.
                if (sealsActive || !_hasFailed)
                {
                    _ = WriteAll(sealsActive);
                }
            }

            if (Volatile.Read(ref _hasFailed) && Stopped is null)
            {
                // If the disk is full, there may be segments that need not be kept.
                SignalKeeper?.Invoke();
            }
        }
        catch (Exception e)
        {
            // The error is only recorded, because no caller waits for this round.
            _output.LastError = e;
        }
    }
}
