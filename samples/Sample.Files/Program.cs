// after a crash, the file has either the old or the new content
await SluiceFile.ReplaceAtomicallyAsync("settings.json", "{ \"depth\": 32 }"u8.ToArray());
await SluiceFile.WriteManyAsync(Enumerable.Range(0, 1000).Select(i => ($"part{i}.bin", (ReadOnlyMemory<byte>)new byte[100])));

long bytes = 0;
await foreach (FileReadResult file in SluiceFile.ReadManyAsync(Directory.EnumerateFiles(".", "part*.bin")))
{
    bytes += file.GetContent().Length;                        // many files at once, in bounded memory
}

CopyResult copy = await SluiceFile.CopyAsync("settings.json", "settings.bak", new CopyOptions { Overwrite = true });
Console.WriteLine($"{bytes} bytes of parts; copied {copy.Bytes} bytes by {copy.Method} {copy.MethodReason}");
