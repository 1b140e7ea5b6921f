using Sluice.Log;
using Sluice.Log.Folders;

namespace Sluice;

// Removes records at the log's end, and closes the log.
public sealed partial class SluiceLog
{
    /// <summary>The time, in milliseconds, that the exit of the process waits for logs to be closed.</summary>
    private const int ExitPatienceMs = 5000;

    /// <summary>The time at which the exit of the process stops waiting for all logs; 0 before the exit.</summary>
    private static long s_exitDeadline;

    /// <summary>
    /// Removes all records after the specified one. The removal is durable when the method returns. The next record gets the sequence
    /// number <paramref name="sequence"/> + 1.
    /// </summary>
    /// <param name="sequence">
    /// The sequence number of the last record to keep, or <see cref="FirstSequence"/> - 1 to remove all records.
    /// </param>
    /// <remarks>
    /// <para>
    /// A record that another thread appends during the call is either kept or removed. An append that is waiting for a removed record
    /// completes: the record was durable before it was removed.
    /// </para>
    /// <para>
    /// A <see cref="SluiceLogReader"/> that has already returned records which are now removed throws a
    /// <see cref="SluiceLogDamagedException"/> at a later read.
    /// </para>
    /// <para>
    /// If this method throws an <see cref="IOException"/> and <see cref="Failure"/> is <see langword="null"/>, the log keeps all records.
    /// Otherwise the removal was begun, and the next <see cref="Open"/> completes it.
    /// </para>
    /// </remarks>
    /// <exception cref="ArgumentOutOfRangeException">
    /// <paramref name="sequence"/> is less than <see cref="FirstSequence"/> - 1 or greater than the number of the last record.
    /// </exception>
    /// <exception cref="IOException">The records could not be removed.</exception>
    /// <exception cref="UnauthorizedAccessException">The process is not permitted to create a file in the log's directory.</exception>
    /// <exception cref="NotSupportedException">The log is a raw log.</exception>
    /// <exception cref="ObjectDisposedException">The log is closed.</exception>
    public void TruncateAfter(long sequence)
    {
        FramedOutput output = Framed();
        ThrowIfClosed();
        _committer.WithSyncLock(() =>
        {
            if (_committer.Commit() is { } error)
            {
                throw LogErrors.Failed(Directory, "Truncating", error);
            }

            if (!_committer.TryTruncate(output, sequence))
            {
                LogErrors.ThrowClosed(Directory);
            }
        });
    }

    /// <summary>Writes all appended records, makes them durable and closes the log.</summary>
    /// <remarks>Calling this method again has no effect.</remarks>
    /// <exception cref="IOException">
    /// Records could not be written or made durable, or another file of the log could not be updated or deleted. The log is closed
    /// nevertheless.
    /// </exception>
    public void Dispose()
    {
        lock (_closing)
        {
            if (_isClosed)
            {
                return;
            }

            Volatile.Write(ref _isClosing, true);
            Interlocked.MemoryBarrier();
            _committer.WithSyncAndWriteLocks(_ring.Close);
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
        return new(Task.Run(Dispose));
    }

    private Exception? Close()
    {
        Exception? error = null;
        _keeper.End();
        _output.Compressor?.End();
        try
        {
            _committer.WithSyncLock(() => error = _committer.Failure ?? _committer.Commit() ?? Finish());
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            error = e;
        }

        _committer.End();
        _committer.WithSyncAndWriteLocks(_committer.StopWrites);
        try
        {
            LogFile.CloseAll<IDisposable?>([_output, _lock], static f => f?.Dispose());
        }
        catch (IOException e)
        {
            error ??= e;
        }
        finally
        {
            _folder.Close();
        }

        if (_onExit is not null)
        {
            AppDomain.CurrentDomain.ProcessExit -= _onExit;
        }

        return error;
    }

    /// <summary>Seals full segments and releases reserved space. Called after all records are durable.</summary>
    /// <returns>The error of a segment that could not be sealed; null if there was none.</returns>
    private Exception? Finish()
    {
        if (_stateFile.IsStale(_committer.Durable))
        {
            // The state is written here, because no thread writes it later.
            _stateFile.Write(_committer.Durable);
        }

        Exception? error = _committer.CloseFull();
        _output.Finish();
        return error;
    }

    /// <summary>
    /// Closes the log on a thread of its own and waits for a limited time, shared by all logs: a disk that does not respond, or a thread that
    /// exits inside one of the log's own calls, must not keep the process alive.
    /// </summary>
    private void DisposeAtExit()
    {
        Thread closing = new(() =>
        {
            try
            {
                Dispose();
            }
            catch (Exception e) when (e is IOException or UnauthorizedAccessException or ObjectDisposedException)
            {
                // The process ends, so the error cannot be reported.
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

    private FramedOutput Framed() =>
        _output as FramedOutput ?? throw new NotSupportedException("A raw log has no sequences in its files.");
}
