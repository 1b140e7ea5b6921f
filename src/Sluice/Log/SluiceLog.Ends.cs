using Sluice.Log;

namespace Sluice;

// What is done at a log's end: dropping its tail, and closing it.
public sealed partial class SluiceLog
{
    /// <summary>How long those who have a place may take to fill it while nobody else gets one.</summary>
    private const int MinFreezePatienceMs = 10;

    /// <summary>The most of them.</summary>
    private const int MaxFreezePatienceMs = 1000;

    /// <summary>Milliseconds that the exit of a process waits for logs to be closed.</summary>
    private const int ExitPatienceMs = 5000;

    /// <summary>When all logs together stop waiting for their closing at the exit of the process; 0 before the exit.</summary>
    private static long s_exitDeadline;

    private bool _wasTruncated;

    /// <summary>
    /// Removes all records after the specified one. The removal is durable when the method returns. The next record gets the sequence
    /// number <paramref name="sequence"/> + 1.
    /// </summary>
    /// <param name="sequence">
    /// The sequence number of the last record to keep, or <see cref="FirstSequence"/> - 1 to remove all records.
    /// </param>
    /// <remarks>
    /// <para>
    /// A record that another thread appends during the call is either kept or removed. If it is removed, an append that is waiting for this
    /// record throws an <see cref="IOException"/>.
    /// </para>
    /// <para>
    /// A <see cref="SluiceLogReader"/> may already have returned records that are now removed. It continues with the records that replace
    /// them and sets <see cref="SluiceLogReader.DroppedFrom"/>.
    /// </para>
    /// <para>
    /// If this method throws an <see cref="IOException"/>, the open log keeps all records. In rare cases its new segment file cannot be
    /// deleted either. If the process then ends, the next <see cref="Open"/> can complete the removal. It removes only records that were
    /// not durable, unless the failure could not be recorded in the log's files either; then it removes all of them.
    /// </para>
    /// </remarks>
    /// <exception cref="ArgumentOutOfRangeException">
    /// <paramref name="sequence"/> is less than <see cref="FirstSequence"/> - 1 or greater than the number of the last record.
    /// </exception>
    /// <exception cref="IOException">The records could not be removed.</exception>
    /// <exception cref="UnauthorizedAccessException">The process is not permitted to create a file in the log's directory.</exception>
    /// <exception cref="InvalidOperationException">
    /// The calling thread holds an open <see cref="LogReservation"/> of this log.
    /// </exception>
    /// <exception cref="NotSupportedException">The log is a raw log.</exception>
    /// <exception cref="ObjectDisposedException">The log is closed.</exception>
    public void TruncateAfter(long sequence)
    {
        FramedOutput output = Framed();
        ThrowIfClosed();
        ThrowIfReserved();
        _syncs.Gate.EnterAlways();
        try
        {
            // What stays is on the disk before there is a segment that says so. Once more where the record came after the sync.
            while (!TryTruncateAfter(output, sequence, _syncs.SyncAll()))
            {
            }
        }
        finally
        {
            _syncs.Leave();
        }
    }

    /// <summary>Writes all appended records, makes them durable and closes the log.</summary>
    /// <remarks>An open reservation of the calling thread is withdrawn. Calling this method again has no effect.</remarks>
    /// <exception cref="IOException">
    /// Records could not be written or made durable, or another file of the log could not be updated or deleted. The log is closed
    /// nevertheless.
    /// </exception>
    public void Dispose()
    {
        WithdrawReservation();
        using (_closing.EnterAlways())
        {
            if (_isClosed)
            {
                return;
            }

            Volatile.Write(ref _isClosing, true);
            Interlocked.MemoryBarrier();
            _ring.Close();
            Exception? error = Close();
            _isClosed = true;
            if (error is not null)
            {
                throw LogErrors.Failed(Directory, "Closing", error);
            }
        }
    }

    /// <summary>Writes all appended records, makes them durable and closes the log, on a thread of the thread pool.</summary>
    /// <returns>A task that completes when the log is closed.</returns>
    /// <inheritdoc cref="Dispose"/>
    public ValueTask DisposeAsync()
    {
        WithdrawReservation();
        return new(Task.Run(Dispose));
    }

    private void StartThreads()
    {
        try
        {
            _writes.Start();
            _syncs.Start();
            _output.Compressor?.Start();
        }
        catch (Exception e) when (e is OutOfMemoryException or ThreadStartException)
        {
            _writes.End();
            _syncs.End();
            _output.Compressor?.End();
            throw LogErrors.NoThread(Directory, e);
        }
    }

    private Exception? Close()
    {
        Exception? error = null;
        _syncs.EndKeeper();
        _output.Compressor?.End();
        _syncs.Gate.EnterAlways();
        try
        {
            error = _syncs.SyncAll();
            if (error is null)
            {
                // Told of at the end: what else belongs to the closing is done all the same.
                Exception? withdrawn = TryEndWithdrawn();
                if (_mark.IsBehind(_syncs.Durable))
                {
                    // Nobody writes it later.
                    _mark.Write(_syncs.Durable);
                }

                if (_output.HasFull)
                {
                    // As before any footer.
                    _mark.Flush();
                }

                _output.SealFull(_mark.Said);
                foreach (IDisposable file in _output.LetGoOfSealed())
                {
                    file.Dispose();
                }

                _output.Finish();
                error = withdrawn;
            }
        }
        catch (Exception e)
        {
            error = e;
        }
        finally
        {
            _syncs.Leave();
        }

        _writes.End();
        _syncs.End();

        // Who had a place before the closing, and asked threads that are gone.
        _writes.TryLead();
        _syncs.TryLead();
        LetGo();
        if (_onExit is not null)
        {
            AppDomain.CurrentDomain.ProcessExit -= _onExit;
        }

        return error;
    }

    /// <summary>Behind the end nobody tries again: what may take back what is durable, or stand before it, is told of.</summary>
    private Exception? TryEndWithdrawn()
    {
        _writes.Gate.EnterAlways();
        try
        {
            _output.EndWithdrawn();
            return null;
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            return e;
        }
        finally
        {
            _writes.Leave();
        }
    }

    /// <summary>With both gates: others may lead where the closing could not write, and the next writer is not to come meanwhile.</summary>
    private void LetGo() => _syncs.Hold(() =>
    {
        _writes.Gate.EnterAlways();
        try
        {
            _writes.LetGo();
            _output.Dispose();
        }
        finally
        {
            // Whatever came of it: else nobody could open the log.
            _lock?.Dispose();
            _writes.Leave();
        }
    });

    /// <summary>
    /// A record may have been dropped between its place and the wait for it; nobody would end that wait before as many others have come.
    /// </summary>
    private void FailIfDropped(long sequence)
    {
        if (MayBeDropped(sequence))
        {
            FailDropped();
        }
    }

    /// <summary>Asked behind the push. While a tail is being dropped it is for who does that to fail who waits.</summary>
    private bool MayBeDropped(long sequence) => Volatile.Read(ref _wasTruncated) && sequence >= _ring.NextSequence;

    private void FailDropped()
    {
        _syncs.Gate.EnterAlways();
        try
        {
            _writes.Gate.EnterAlways();
            try
            {
                FailOther();
            }
            finally
            {
                _writes.Leave();
            }
        }
        finally
        {
            _syncs.Leave();
        }
    }

    /// <summary>Those who wait for what was dropped: others may have got such numbers since, and wait for what is there.</summary>
    private void FailOther()
    {
        _writes.Waiters.FailOther(_ring.Epoch, _writes.Written, _writes.WhyDropped);
        _syncs.Waiters.FailOther(_ring.Epoch, _syncs.Durable, _writes.WhyDropped);
    }

    private void FailAbove(long sequence)
    {
        _writes.Waiters.Fail(sequence, _writes.WhyDropped);
        _syncs.Waiters.Fail(sequence, _writes.WhyDropped);
    }

    /// <summary>
    /// Closes the log on a thread of its own and waits for a limited time, shared by all logs: a thread that never ends its reservation, or
    /// that exits inside one of the log's own calls, must not keep the process alive.
    /// </summary>
    private void DisposeAtExit()
    {
        WithdrawReservation();
        Thread closing = new(() =>
        {
            try
            {
                Dispose();
            }
            catch (Exception e) when (e is IOException or UnauthorizedAccessException or ObjectDisposedException)
            {
                // The process ends: there is nobody to tell.
            }
        })
        {
            IsBackground = true,
            Name = "Sluice log exit",
        };
        closing.UnsafeStart();
        long deadline = Interlocked.CompareExchange(ref s_exitDeadline, Environment.TickCount64 + ExitPatienceMs, 0);
        deadline = deadline == 0 ? Volatile.Read(ref s_exitDeadline) : deadline;
        _ = closing.Join((int)Math.Max(0, deadline - Environment.TickCount64));
    }

    /// <summary>False where the last record that is to stay is not on the disk yet; the gate of syncs is held.</summary>
    private bool TryTruncateAfter(FramedOutput output, long sequence, Exception? syncError)
    {
        _writes.Gate.EnterAlways();
        try
        {
            // Whoever has a place by now looks whether his record is still there.
            Volatile.Write(ref _wasTruncated, true);
            Freeze(sequence);
            long next = _writes.Written + 1;
            try
            {
                if (sequence > _syncs.Durable)
                {
                    return syncError is null ? false : throw LogErrors.Failed(Directory, "Truncating", syncError);
                }

                // First the mark: a crash behind it finds a log that is longer than it must be.
                _syncs.MarkLess(sequence);
                output.Restart(sequence);
                next = sequence + 1;
                _writes.Restart(sequence);
                _syncs.Restart(sequence);
                FailAbove(sequence);
                _syncs.Mark();
                return true;
            }
            catch
            {
                // What was durable still is.
                _syncs.Mark();
                throw;
            }
            finally
            {
                _ring.Thaw(next);

                // Who was not failed above came later, and found the numbers of before: those behind the thaw see that for themselves.
                FailOther();
            }
        }
        finally
        {
            _writes.Leave();
        }
    }

    /// <summary>Writes everything, and lets nobody append until the ring is thawed; both gates are held.</summary>
    private void Freeze(long sequence)
    {
        int patienceMs = 0;
        do
        {
            // Longer each time, so that it comes to an end beside those who always have a place; who waits for one waits as long.
            patienceMs = Math.Clamp(2 * patienceMs, MinFreezePatienceMs, MaxFreezePatienceMs);
            ThrowIfClosed();
            ThrowIfFailed(_writes.WriteAll());
        }
        while (!_ring.TryFreeze(patienceMs));
        try
        {
            ThrowIfFailed(_writes.WriteAll());
            if (sequence < Framed().FirstSequence - 1 || sequence > _writes.Written)
            {
                throw LogErrors.NotThere(nameof(sequence), sequence, Framed().FirstSequence, _writes.Written);
            }
        }
        catch
        {
            _ring.Unfreeze();
            throw;
        }
    }

    private void ThrowIfFailed(Exception? error)
    {
        if (error is not null)
        {
            throw LogErrors.Failed(Directory, "Truncating", error);
        }
    }

    private FramedOutput Framed() =>
        _output as FramedOutput ?? throw new NotSupportedException("A raw log has no sequences in its files.");
}
