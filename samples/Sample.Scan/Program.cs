// One file on all cores: it is cut at line ends, and the results come in the order of the file. Started several times by mpirun or srun
// with the path of one file, each process scans its part, and their sum is the file's. Without a path it makes a file, and removes it.
string path = args is [string given] ? given : Path.Combine(Path.GetTempPath(), $"sample-{Environment.ProcessId}.txt");
try
{
    if (args.Length == 0)
    {
        File.WriteAllLines(path, Enumerable.Range(0, 200_000).Select(i => $"line {i}"));
    }

    SluiceScanOptions options = new() { Shard = Shard.TryFromEnvironment(out Shard mine) ? mine : default };
    long lines = 0;
    await foreach (int count in SluiceReader.ScanAsync(path, part => part.Bytes.Count((byte)'\n'), options))
    {
        lines += count;
    }

    Console.WriteLine($"{lines} lines");
    return args.Length > 0 || options.Shard.Count > 1 || lines == 200_000 ? 0 : 1;
}
finally
{
    if (args.Length == 0)
    {
        File.Delete(path);
    }
}
