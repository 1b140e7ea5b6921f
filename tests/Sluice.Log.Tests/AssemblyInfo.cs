// Two cores: more tests at once only wait for one another.
[assembly: CollectionBehavior(MaxParallelThreads = 2)]
