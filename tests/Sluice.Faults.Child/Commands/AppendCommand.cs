namespace Sluice.Faults.Child.Commands;

/// <summary>Appends records to a file that other processes append to, and prints where each landed.</summary>
internal static class AppendCommand
{
    public static int Run(string path, FileCaching caching, int id, int count)
    {
        using SluiceHandle handle =
            SluiceHandle.Open(path, FileMode.OpenOrCreate, FileAccess.ReadWrite, FileShare.ReadWrite, caching: caching);

        // All begin together, once all have started.
        Console.WriteLine("ready");
        _ = Console.ReadLine();
        long[] offsets = new long[count];
        for (int i = 0; i < count; i++)
        {
            byte[] record = RecordFormat.Make(id, i);
            offsets[i] = i % 2 == 0 ? handle.AppendAndGetOffset(record) : handle.AppendAndGetOffsetAsync(record).AsTask().GetAwaiter().GetResult();
        }

        foreach (long offset in offsets)
        {
            Console.WriteLine(offset);
        }

        return 0;
    }
}
