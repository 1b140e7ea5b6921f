// Bypasses the page cache. The caller aligns nothing; what took effect can be read from the handle.
string path = Path.Combine(Path.GetTempPath(), $"sample-{Environment.ProcessId}.dat");
try
{
    using SluiceHandle file = SluiceHandle.Open(path, FileMode.Create, FileAccess.ReadWrite, caching: FileCaching.Direct);
    Console.WriteLine($"caching {file.Caching}{(file.CachingReason is { } reason ? $", because {reason}" : "")}");
    Console.WriteLine($"alignment: memory {file.Alignment.Memory}, offset {file.Alignment.Offset}, length {file.Alignment.Length} bytes");

    byte[] written = new byte[10_001];
    new Random(1).NextBytes(written);
    await file.WriteAsync(written, fileOffset: 3);

    byte[] read = new byte[20_000];
    int count = await file.ReadAsync(read, fileOffset: 3);
    bool right = read.AsSpan(0, count).SequenceEqual(written);
    Console.WriteLine($"{count} bytes read, {(right ? "the same" : "DIFFERENT")}; length {file.Length}");
    return right ? 0 : 1;
}
finally
{
    File.Delete(path);
}
