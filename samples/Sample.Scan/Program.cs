// One file on all cores: it is cut at line ends, and the results come in the order of the file.
string path = Path.Combine(Path.GetTempPath(), $"sample-{Environment.ProcessId}.txt");
try
{
    File.WriteAllLines(path, Enumerable.Range(0, 200_000).Select(i => $"line {i}"));
    long lines = 0;
    await foreach (int count in SluiceReader.ScanAsync(path, part => part.Bytes.Count((byte)'\n')))
    {
        lines += count;
    }

    Console.WriteLine($"{lines} lines");
    return lines == 200_000 ? 0 : 1;
}
finally
{
    File.Delete(path);
}
