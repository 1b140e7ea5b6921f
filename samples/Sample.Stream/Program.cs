await using (SluiceStream output = new("numbers.bin", FileMode.Create, FileAccess.Write))
{
    for (int i = 0; i < 100_000; i++)
    {
        await output.WriteAsync(BitConverter.GetBytes(i));    // buffered: one system call for many of these
    }
}                                                             // writes what is still buffered, or throws

await using SluiceStream input = new("numbers.bin", new SluiceOptions { Caching = FileCaching.Direct });
input.Position = 4 * 99_999;                                  // no system call
byte[] last = new byte[4];
await input.ReadExactlyAsync(last);
Console.WriteLine($"{BitConverter.ToInt32(last)} is the last of {input.Length / 4} numbers");
