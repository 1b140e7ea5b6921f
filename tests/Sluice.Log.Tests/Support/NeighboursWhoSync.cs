namespace Sluice.Log.Tests.Support;

/// <summary>Some threads that append to files of their own in a folder and sync each time, whatever comes of it.</summary>
internal sealed class NeighboursWhoSync : IDisposable
{
    private const int RecordsAtATime = 20;

    private readonly ReaderWriterLockSlim _lock = new();
    private readonly Thread[] _threads;
    private bool _end;

    public NeighboursWhoSync(string folder, int count)
    {
        _threads = Threads.Start(count, i => Sync(Path.Combine(folder, $"neighbour{i}")));
    }

    /// <summary>Does something while nothing of theirs is open.</summary>
    public void PauseFor(Action action)
    {
        _lock.EnterWriteLock();
        try
        {
            action();
        }
        finally
        {
            _lock.ExitWriteLock();
        }
    }

    public void Dispose()
    {
        Volatile.Write(ref _end, true);
        _threads.JoinInTime();

        _lock.Dispose();
    }

    private void Sync(string path)
    {
        while (!Volatile.Read(ref _end))
        {
            _lock.EnterReadLock();
            try
            {
                using FileStream file = new(path, FileMode.Create);
                for (int i = 0; i < RecordsAtATime; i++)
                {
                    file.Write(new byte[1000]);
                    file.Flush(flushToDisk: true);
                }
            }
            catch (Exception e) when (e is IOException or UnauthorizedAccessException)
            {
                // Its disk has stopped.
            }
            finally
            {
                _lock.ExitReadLock();
            }

            Thread.Sleep(1);
        }
    }
}
