using Sluice.Kernel;

namespace Sluice.Engines;

/// <summary>
/// Operations of threads that found the submission lock of a ring taken. The thread that has the lock submits them. The lock is held during
/// system calls. The class makes no system call and takes no lock, so that PendingSubmissionsTests can explore its interleavings.
/// </summary>
/// <remarks>
/// A thread that adds an operation tries the lock afterwards, and submits the operations if it gets it. A thread that has released the lock
/// checks for operations afterwards, and tries the lock again if there are some. There is a full fence between the two steps of each, so one
/// of the threads finds the operation.
/// </remarks>
internal sealed class PendingSubmissions
{
    private IoOperation? _newest;
    private int _rounds;

    public bool IsEmpty => Volatile.Read(ref _newest) is null;

    /// <summary>
    /// True if the thread that has the lock has submitted operations of other threads often enough. Other threads then wait for the lock,
    /// so that no caller submits for others indefinitely.
    /// </summary>
    public bool IsClosed => Volatile.Read(ref _rounds) >= Tuning.MaxPendingRounds;

    /// <summary>Adds an operation. The thread has just found the lock taken, and tries it again afterwards.</summary>
    public void Add(IoOperation operation)
    {
        IoOperation? newest = Volatile.Read(ref _newest);
        while (true)
        {
            operation.Next = newest;
            IoOperation? found = Interlocked.CompareExchange(ref _newest, operation, newest);
            if (found == newest)
            {
                return;
            }

            newest = found;
        }
    }

    /// <summary>Removes all operations. Returns the oldest, linked to the others by Next, or null. Called under the lock.</summary>
    public IoOperation? TakeAll()
    {
        if (IsEmpty)
        {
            _rounds = 0;
            return null;
        }

        _rounds++;
        IoOperation? newest = Interlocked.Exchange(ref _newest, null);
        IoOperation? oldest = null;
        while (newest is not null)
        {
            IoOperation? next = newest.Next;
            newest.Next = oldest;
            oldest = newest;
            newest = next;
        }

        return oldest;
    }
}

/// <summary>
/// Determines whether threads find the submission lock of a ring taken so often that another ring is needed. Races between threads lose a
/// count, nothing else.
/// </summary>
internal struct SubmissionContention
{
    private int _submissions;
    private int _contended;

    /// <summary>Counts one submission in 64, and requests another ring if too many of them were contended.</summary>
    public void Count(bool isContended)
    {
        if ((++_submissions & Tuning.ContentionSample) != 0)
        {
            return;
        }

        if (!isContended)
        {
            _contended -= _contended >> Tuning.ContentionForgetShift;
        }
        else if ((_contended += Tuning.ContentionStep) > Tuning.MaxContention)
        {
            _contended = 0;
            SluiceEngines.AddRing();
        }
    }
}
