namespace Sluice.Copying;

/// <summary>The threads that copy the files of a tree, while another walks it.</summary>
internal static class TreeWorkers
{
    /// <summary>Starts as many as there are processors, or as many as the system allows.</summary>
    /// <exception cref="IOException">Not a single one could be started.</exception>
    public static Task[] Start(Action work)
    {
        List<Task> workers = [];
        while (workers.Count < Math.Max(2, Environment.ProcessorCount))
        {
            try
            {
                workers.Add(Task.Factory.StartNew(work, CancellationToken.None, TaskCreationOptions.LongRunning, TaskScheduler.Default));
            }
            catch (TaskSchedulerException e)
            {
                // Where descriptors or memory are used up no thread can be made; those that there are do all the work.
                if (workers.Count == 0)
                {
                    throw new IOException("Copying a tree failed: no thread could be made, for want of memory or descriptors.", e);
                }

                break;
            }
        }

        return [.. workers];
    }
}
