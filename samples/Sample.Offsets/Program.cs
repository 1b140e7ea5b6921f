await using SluiceHandle file = SluiceHandle.Open("data.bin", FileMode.Create, FileAccess.ReadWrite, caching: FileCaching.Direct);

await file.WriteAsync("hello, disk"u8.ToArray(), fileOffset: 0);   // writes all bytes or throws; needs no alignment
long at = await file.AppendAndGetOffsetAsync(" and more"u8.ToArray()); // an atomic append; returns its offset
byte[] buffer = new byte[4096];
int read = await file.ReadAsync(buffer, fileOffset: 0);            // returns 0 at the end of the file

ReadRequest[] requests = [new(0, new byte[5]), new(7, new byte[4])];
file.ReadBatch(requests);                                          // many offsets in one submission
Console.WriteLine($"{read} bytes, the second part at {at}; {file.EngineName}, {file.Caching} {file.CachingReason}");
