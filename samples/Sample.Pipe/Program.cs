// A file as a pipe: whatever takes a PipeReader or a PipeWriter reads and writes at the disk's speed, with back-pressure.
using System.IO.Pipelines;
using System.Text.Json;

string path = Path.Combine(Path.GetTempPath(), $"sample-{Environment.ProcessId}.json");
try
{
    int[] numbers = [.. Enumerable.Range(0, 100_000)];
    PipeWriter writer = PipeWriter.Create(new SluiceStream(path, FileMode.Create, FileAccess.Write));
    await JsonSerializer.SerializeAsync(writer, numbers);
    await writer.CompleteAsync();

    PipeReader reader = PipeReader.Create(SluiceFile.OpenRead(path));
    int[]? read = await JsonSerializer.DeserializeAsync<int[]>(reader.AsStream());
    Console.WriteLine($"{read?.Length} numbers, {(numbers.AsSpan().SequenceEqual(read) ? "the same" : "DIFFERENT")}");
    return numbers.AsSpan().SequenceEqual(read) ? 0 : 1;
}
finally
{
    File.Delete(path);
}
