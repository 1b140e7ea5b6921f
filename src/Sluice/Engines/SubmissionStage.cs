using Sluice.Kernel;

namespace Sluice.Engines;

/// <summary>
/// What threads that find a ring's submission lock taken leave for whoever has it: that is held through calls of the kernel, and nobody
/// waits for another's. It makes no system call and knows no lock, and so can be explored step by step (SubmissionStageTests).
/// </summary>
/// <remarks>
/// Who adds something tries the lock afterwards, and puts in what is here if it gets it; who has given the lock back looks here afterwards,
/// and tries it again if there is something. Between the two steps of each lies a full fence, so that one of them finds what was added.
/// </remarks>
internal sealed class SubmissionStage
{
    private IoOperation? _newest;
    private int _rounds;

    public bool IsEmpty => Volatile.Read(ref _newest) is null;

    /// <summary>
    /// Whoever has the lock has put in others' operations so often that more are to wait for it: no caller works for others for ever.
    /// </summary>
    public bool IsClosed => Volatile.Read(ref _rounds) >= Tuning.MaxStageRounds;

    /// <summary>For whoever has just found the lock taken; tries it again afterwards.</summary>
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

    /// <summary>All that is here, the oldest first, linked by Next. Under the lock.</summary>
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
/// Whether a ring's submission lock is others' so often that they need a ring of their own. Races between threads lose a count, nothing
/// else.
/// </summary>
internal struct SubmissionContention
{
    private int _submissions;
    private int _contended;

    /// <summary>Looks once in a while; asks for one ring more where it is.</summary>
    /// <param name="isTaken">A submission has found the lock another thread's.</param>
    public void Look(bool isTaken)
    {
        if ((++_submissions & Tuning.ContentionSample) != 0)
        {
            return;
        }

        if (!isTaken)
        {
            _contended -= _contended >> Tuning.ContentionForgetShift;
        }
        else if ((_contended += Tuning.ContentionStep) > Tuning.MaxContention)
        {
            _contended = 0;
            SluiceEngines.Grow();
        }
    }
}
