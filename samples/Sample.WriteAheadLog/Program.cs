// A store of one's own that survives a crash: every change goes to a log first, and the log is read again when the store is opened.
string directory = Path.Combine(Path.GetTempPath(), $"sample-{Environment.ProcessId}-wal");
try
{
    using (Store store = new(directory))
    {
        // Any number of threads: those who wait at the same time share one sync of the disk.
        await Parallel.ForAsync(0, 100, async (i, _) => await store.SetAsync($"key {i % 10}", i));
    }

    using (Store again = new(directory))
    {
        Console.WriteLine($"{again.Count} keys after opening again; key 3 is one of 3, 13, ... 93: {again["key 3"] % 10 == 3}");
        if (again.Count != 10 || again["key 3"] % 10 != 3)
        {
            throw new InvalidDataException("the store is not as it was");
        }
    }
}
finally
{
    Directory.Delete(directory, recursive: true);
}
