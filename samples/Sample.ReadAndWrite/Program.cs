// Reads and writes at offsets, asynchronously, many at once on one handle.
string path = Path.Combine(Path.GetTempPath(), $"sample-{Environment.ProcessId}.dat");
try
{
    await using SluiceHandle file = SluiceHandle.Open(path, FileMode.Create, FileAccess.ReadWrite);

    // A handle has no position: each block says where it goes, so that all eight can be on their way together.
    await Task.WhenAll(Enumerable.Range(0, 8).Select(i => WriteBlockAsync(i)));
    await file.FlushToDiskAsync();

    byte[] buffer = new byte[4096];
    int read = await file.ReadAsync(buffer, fileOffset: 5 * 4096);
    Console.WriteLine($"{read} bytes of {buffer[0]} by engine {file.EngineName}; the file has {file.Length} bytes");

    async Task WriteBlockAsync(int index)
    {
        byte[] block = new byte[4096];
        block.AsSpan().Fill((byte)index);
        await file.WriteAsync(block, fileOffset: index * 4096L);
    }
}
finally
{
    File.Delete(path);
}
