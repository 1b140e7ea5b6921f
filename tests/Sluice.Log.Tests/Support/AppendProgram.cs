namespace Sluice.Log.Tests.Support;

/// <summary>Opens a log, says what it found there, and appends for ever with four threads; says of each record that it was
/// acknowledged.</summary>
internal static class AppendProgram
{
    public const int Threads = 4;

    public static int Run(string directory, LogDurability durability)
    {
        using Stream output = Console.OpenStandardOutput();
        Lock turn = new();
        using SluiceLog log = SluiceLog.Open(directory, new SluiceLogOptions
        {
            Durability = durability,
            SegmentBytes = 256 * 1024,
            MaxRecordBytes = 32 * 1024,
            BufferBytes = 128 * 1024,
        });
        int first = 0;
        foreach ((long _, byte[] bytes) in Records.ReadWritten(directory))
        {
            first = Math.Max(first, Records.Check(bytes).Number + 1);
        }

        Say($"open {log.NextSequence}");
        Thread[] threads = new Thread[Threads];
        for (int t = 0; t < Threads; t++)
        {
            int id = t;
            threads[t] = new Thread(() =>
            {
                for (int i = first; ; i++)
                {
                    long sequence = log.Append(Records.Make(id, i, (i * 37) % 900));
                    Say($"{sequence} {id} {i}");
                }
            });
            threads[t].Start();
        }

        threads[0].Join();
        return 0;

        void Say(string line)
        {
            byte[] bytes = System.Text.Encoding.ASCII.GetBytes(line + "\n");
            lock (turn)
            {
                output.Write(bytes);
            }
        }
    }
}
