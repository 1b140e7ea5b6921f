// Reads many small records at random offsets with one submission: what a database or an index does.
string path = Path.Combine(Path.GetTempPath(), $"sample-{Environment.ProcessId}.dat");
try
{
    byte[] content = new byte[1 << 20];
    new Random(1).NextBytes(content);
    await File.WriteAllBytesAsync(path, content);
    using SluiceHandle file = SluiceHandle.Open(path);

    ReadRequest[] requests = new ReadRequest[128];
    for (int i = 0; i < requests.Length; i++)
    {
        requests[i] = new ReadRequest(Random.Shared.Next(content.Length - 512), new byte[512]);
    }

    // Each request carries its own result; the first error of all is thrown when every one has ended.
    file.ReadBatch(requests);
    int right = requests.Count(r => r.Buffer.Span.SequenceEqual(content.AsSpan((int)r.FileOffset, r.BytesRead)));
    Console.WriteLine($"{right} of {requests.Length} records are right");
    return right == requests.Length ? 0 : 1;
}
finally
{
    File.Delete(path);
}
