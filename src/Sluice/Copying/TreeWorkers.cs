using System.Diagnostics.CodeAnalysis;
using System.Runtime.Versioning;
using Sluice.Kernel;

namespace Sluice.Copying;

/// <summary>
/// The threads that copy the entries of a tree, while another walks it, and the groups on their way from that one; no more than a few wait.
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
        lock (_monitor)
        {
            while (_groups.Count == Tuning.TreeCopierMaxWaitingGroups)
            {
                Monitor.Wait(_monitor);
            }

            _groups.Enqueue(group);
            Monitor.PulseAll(_monitor);
        }
    }

    /// <summary>Waits for a group; false when all have been taken and there will be no more.</summary>
    public bool TryTake([NotNullWhen(true)] out TreeGroup? group)
    {
        lock (_monitor)
        {
            while (_groups.Count == 0 && !_isOver)
            {
                Monitor.Wait(_monitor);
            }

            Monitor.PulseAll(_monitor);
            return _groups.TryDequeue(out group);
        }
    }

    /// <summary>Nothing is added any more; all of them have ended when this returns.</summary>
    public void End()
    {
        lock (_monitor)
        {
            _isOver = true;
            Monitor.PulseAll(_monitor);
        }

        Task.WaitAll(_workers, CancellationToken.None);
    }
}

/// <summary>Some entries of one folder that one thread copies: names that end with a NUL, and their types (DT_*).</summary>
[SupportedOSPlatform("linux")]
internal sealed class TreeGroup(TreeFolder folder)
{
    /// <summary>
    /// Entries of such a group: as many as most folders have, since two threads that create files in one folder wait for each other (0012).
    /// </summary>
    public const int MaxEntries = 256;

    public TreeFolder Folder => folder;

    public List<(byte[] Name, byte Type)> Entries { get; } = new(MaxEntries);
}
