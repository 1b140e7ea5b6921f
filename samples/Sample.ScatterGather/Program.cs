// Writes a header and a body that lie apart in memory with one call, and reads them back into two buffers.
string path = Path.Combine(Path.GetTempPath(), $"sample-{Environment.ProcessId}.dat");
try
{
    byte[] header = "SLUICE-SAMPLE-01"u8.ToArray();
    byte[] body = new byte[100_000];
    new Random(1).NextBytes(body);

    await using SluiceHandle file = SluiceHandle.Open(path, FileMode.Create, FileAccess.ReadWrite);
    await file.WriteAsync([header, body], fileOffset: 0);

    byte[] headerRead = new byte[header.Length];
    byte[] bodyRead = new byte[body.Length];
    long count = await file.ReadAsync([headerRead, bodyRead], fileOffset: 0);
    Console.WriteLine($"{count} bytes, header {System.Text.Encoding.ASCII.GetString(headerRead)}");
    return bodyRead.AsSpan().SequenceEqual(body) ? 0 : 1;
}
finally
{
    File.Delete(path);
}
