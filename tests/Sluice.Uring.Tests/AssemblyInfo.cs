using Xunit;

// Signals, resource limits and seccomp filters belong to the process or a thread of it: one test at a time.
[assembly: CollectionBehavior(DisableTestParallelization = true)]
