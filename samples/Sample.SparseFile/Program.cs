// Reserves space, gives a piece of it back, and shows where the file lies on its device.
string path = Path.Combine(Path.GetTempPath(), $"sample-{Environment.ProcessId}.dat");
try
{
    using SluiceHandle file = SluiceHandle.Open(path, FileMode.Create, FileAccess.ReadWrite);
    file.Write(new byte[1 << 20], fileOffset: 0);
    try
    {
        file.Allocate(offset: 0, length: 4 << 20);
        file.PunchHole(offset: 256 << 10, length: 512 << 10);
        file.FlushToDisk();
        foreach (FileExtent extent in file.GetExtents())
        {
            Console.WriteLine($"{extent.Offset,10} to {extent.Offset + extent.Length,10} at {extent.PhysicalOffset} ({extent.Flags})");
        }
    }
    catch (NotSupportedException e)
    {
        Console.WriteLine($"this file system cannot: {e.Message}");
    }
}
finally
{
    File.Delete(path);
}
