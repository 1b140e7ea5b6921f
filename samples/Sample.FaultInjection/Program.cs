using Sluice.Testing;

// Tests your own code against a disk that cuts transfers short, fails now and then, and answers out of order.
string path = Path.Combine(Path.GetTempPath(), $"sample-{Environment.ProcessId}.dat");
FaultPlan plan = new(seed: 42) { ShortTransfer = 0.3, Eintr = 0.2, Reorder = 0.2 };
plan.FailAt(10, FaultKind.DiskFull);
FaultyEngine engine = new(plan);
try
{
    // The scope reaches every handle that the code under test opens, however deep inside.
    using (IoEngine.UseForCurrentContext(engine))
    {
        int saved = 0;
        try
        {
            await using SluiceHandle file = SluiceHandle.Open(path, FileMode.Create, FileAccess.Write);
            for (; saved < 100; saved++)
            {
                await file.WriteAsync(new byte[1000], saved * 1000L);
            }
        }
        catch (IOException e)
        {
            Console.WriteLine($"after {saved} blocks: {e.Message}");
        }
    }

    Console.WriteLine($"seed {plan.Seed}: {engine.OperationCount} operations, {engine.FaultCount} faults");
    return engine.FaultCount > 0 ? 0 : 1;
}
finally
{
    File.Delete(path);
}
