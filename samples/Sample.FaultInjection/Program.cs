using Sluice.Testing;

// Tests code against a disk that cuts transfers short, fails now and then, and answers out of order.
string path = Path.Combine(Path.GetTempPath(), $"sample-{Environment.ProcessId}.dat");
try
{
    FaultPlan plan = new(seed: 42) { ShortTransfer = 0.3, Eintr = 0.2, Reorder = 0.2 };
    plan.FailAt(10, FaultKind.DiskFull);
    FaultyEngine engine = new(plan);
    using (IoEngine.UseForCurrentContext(engine))   // reaches every handle that the code under test opens, however deep inside
    {
        try
        {
            await SaveAsync(path);
        }
        catch (IOException e)
        {
            Console.WriteLine(e.Message);
        }
    }

    Console.WriteLine($"seed {plan.Seed}: {engine.OperationCount} operations, {engine.FaultCount} faults");
    return engine.FaultCount > 0 ? 0 : 1;
}
finally
{
    File.Delete(path);
}

// The code under test.
static async Task SaveAsync(string path)
{
    await using SluiceHandle file = SluiceHandle.Open(path, FileMode.Create, FileAccess.Write);
    for (int i = 0; i < 100; i++)
    {
        await file.WriteAsync(new byte[1000], i * 1000L);
    }
}
