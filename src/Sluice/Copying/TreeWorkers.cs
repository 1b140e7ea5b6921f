using System.Diagnostics.CodeAnalysis;
using System.Runtime.Versioning;
using Sluice.Kernel;
using Sluice.Memory;

namespace Sluice.Copying;

/// <summary>
/// The threads that copy the entries of a tree, while another walks it, and the groups on their way from that one; no more than a few wait.
/// An interruption, which a caller's code may leave on any of these threads, breaks nothing off: it is kept for the thread's next wait.
/// </summary>
/// <remarks>Thread-safe, but for <see cref="Start"/> and <see cref="End"/>, which are the walk's.</remarks>
[SupportedOSPlatform("linux")]
internal sealed class TreeWorkers
{
    private readonly object _monitor = new();
    private readonly Queue<TreeGroup> _groups = new(Tuning.TreeCopierMaxWaitingGroups);
    private readonly List<Task> _workers = [];
    private bool _isOver;

    /// <summary>
    /// How many a copy is to have: as many as there are processors, and no fewer than what keeps requests under way where each goes to
    /// another machine.
    /// </summary>
    /// <param name="fromFd">A folder of the source.</param>
    /// <param name="toFd">A folder of the target.</param>
    public static int CountFor(int fromFd, int toFd) =>
        Math.Max(
            Environment.ProcessorCount,
            RemoteFileSystem.Holds(fromFd) || RemoteFileSystem.Holds(toFd) ? Tuning.TreeCopierRemoteWorkers : 2);

    /// <summary>Starts so many, or as many as the system allows.</summary>
    /// <exception cref="IOException">Not a single one could be started.</exception>
    public void Start(int count, Action work)
    {
        while (_workers.Count < count)
        {
            try
            {
                _workers.Add(Task.Factory.StartNew(work, CancellationToken.None, TaskCreationOptions.LongRunning, TaskScheduler.Default));
            }
            catch (TaskSchedulerException e)
            {
                // Where descriptors or memory are used up no thread can be made; those that there are do all the work.
                if (_workers.Count == 0)
                {
                    throw new IOException("Copying a tree failed: no thread could be made, for want of memory or descriptors.", e);
                }

                break;
            }
        }
    }

    /// <summary>Waits for room.</summary>
    public void Add(TreeGroup group)
    {
        bool isInterrupted = false;
        Uninterrupted.Enter(_monitor, ref isInterrupted);
        while (_groups.Count == Tuning.TreeCopierMaxWaitingGroups)
        {
            _ = Uninterrupted.Wait(_monitor, Timeout.Infinite, ref isInterrupted);
        }

        _groups.Enqueue(group);
        Leave(isInterrupted);
    }

    /// <summary>Waits for a group; false when all have been taken and there will be no more.</summary>
    public bool TryTake([NotNullWhen(true)] out TreeGroup? group)
    {
        bool isInterrupted = false;
        Uninterrupted.Enter(_monitor, ref isInterrupted);
        while (_groups.Count == 0 && !_isOver)
        {
            _ = Uninterrupted.Wait(_monitor, Timeout.Infinite, ref isInterrupted);
        }

        bool isTaken = _groups.TryDequeue(out group);
        Leave(isInterrupted);
        return isTaken;
    }

    /// <summary>Nothing is added any more; all of them have ended when this returns.</summary>
    public void End()
    {
        bool isInterrupted = false;
        Uninterrupted.Enter(_monitor, ref isInterrupted);
        _isOver = true;
        Leave(isInterrupted);
        Uninterrupted.UntilDone(_workers, static w => Task.WaitAll(w.ToArray(), CancellationToken.None));
    }

    private void Leave(bool isInterrupted)
    {
        Monitor.PulseAll(_monitor);
        Monitor.Exit(_monitor);
        Uninterrupted.Restore(isInterrupted);
    }
}

/// <summary>Some entries of one folder that one thread copies: names that end with a NUL, and their types (DT_*).</summary>
[SupportedOSPlatform("linux")]
internal sealed class TreeGroup(TreeFolder folder)
{
    /// <summary>Entries of such a group (0011).</summary>
    public const int MaxEntries = 64;

    public TreeFolder Folder => folder;

    public List<(byte[] Name, byte Type)> Entries { get; } = new(MaxEntries);
}
