using Xunit;

// Mounts belong to the machine, and the counters that show a leak to the process: one test at a time.
[assembly: CollectionBehavior(DisableTestParallelization = true)]
