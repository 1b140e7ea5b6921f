using Sluice;
using Sluice.AotSmoke;

// Exit code 0 only when every byte was right. Runs as an ordinary program and, published with NativeAOT, as a native one.
string folder = Directory.CreateTempSubdirectory("sluice-smoke-").FullName;
try
{
    foreach (FileCaching caching in Enum.GetValues<FileCaching>())
    {
        SmokeRun run = new(Path.Combine(folder, $"{caching}.dat"), caching);
        await run.RunAsync();
        Console.WriteLine(run.Summary);
    }

    Console.WriteLine($"ring: {SluiceEngines.UringReason ?? "in use"}");
    return 0;
}
catch (SmokeFailureException e)
{
    Console.Error.WriteLine(e.Message);
    return 1;
}
finally
{
    Directory.Delete(folder, recursive: true);
}
