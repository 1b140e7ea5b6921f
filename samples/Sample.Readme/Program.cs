await using (SluiceHandle file = SluiceHandle.Open("data.bin", FileMode.Create, FileAccess.ReadWrite))
{
    await file.WriteAsync("one,two\n"u8.ToArray(), fileOffset: 0);   // writes all bytes or throws; safe from any thread
    await file.AppendAsync("three\n"u8.ToArray());                   // an atomic append
}

using (StreamReader text = new(new SluiceStream("data.bin", FileMode.Open)))   // in place of FileStream
    Console.WriteLine(await text.ReadLineAsync());

using (SluiceReader reader = new("data.bin"))
    foreach (ReadOnlySpan<byte> line in reader.EnumerateLines())   // lines as bytes, without allocations
        Console.WriteLine(line.Length);

// after a crash, the file has either the old or the new content
await SluiceFile.ReplaceAtomicallyAsync("settings.json", "{}"u8.ToArray());
