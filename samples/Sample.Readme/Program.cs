await using (SluiceHandle file = SluiceHandle.Open("data.bin", FileMode.Create, FileAccess.ReadWrite))
{
    await file.WriteAsync("one,two\n"u8.ToArray(), fileOffset: 0);   // all of it, or an exception; any thread, any order
    long at = await file.AppendAsync("three\n"u8.ToArray());         // atomic at the end of the file: here at 8
}

using (StreamReader text = new(new SluiceStream("data.bin", FileMode.Open)))   // in FileStream's place
    Console.WriteLine(await text.ReadLineAsync());

using (SluiceReader reader = new("data.bin"))
    foreach (ReadOnlySpan<byte> line in reader.EnumerateLines())          // a large file at the disk's pace; no string for a line
        Console.WriteLine(line.Length);

await SluiceFile.ReplaceAtomicallyAsync("settings.json", "{}"u8.ToArray());    // after a crash the old file or the new one
