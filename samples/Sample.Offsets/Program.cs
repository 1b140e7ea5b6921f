await using SluiceHandle file = SluiceHandle.Open("data.bin", FileMode.Create, FileAccess.ReadWrite, caching: FileCaching.Direct);

await file.WriteAsync("hello, disk"u8.ToArray(), fileOffset: 0);   // all of it, or an exception; no alignment needed
long at = await file.AppendAsync(" and more"u8.ToArray());         // atomic at the end of the file
byte[] buffer = new byte[4096];
int read = await file.ReadAsync(buffer, fileOffset: 0);            // 0 is the end of the file

ReadRequest[] requests = [new(0, new byte[5]), new(7, new byte[4])];
file.ReadBatch(requests);                                          // many offsets, one submission
Console.WriteLine($"{read} bytes, the second part at {at}; {file.EngineName}, {file.Caching} {file.CachingReason}");
