// The counters that show a leak belong to the process: one test at a time.
[assembly: CollectionBehavior(DisableTestParallelization = true)]
