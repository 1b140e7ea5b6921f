namespace Sluice.Cli.Bench.Handles;

/// <summary>Rows about the engine without a device: what submitting, completing and going on cost by themselves.</summary>
internal static class EngineRows
{
    /// <summary>So many are in flight for each loop: they go in and come back together, as a device's would.</summary>
    private const int Depth = 8;

    /// <summary>Loops of operations that do nothing, beside as many hops through .NET's pool.</summary>
    public static Row Alone(int loops, string prefix) => new(
        $"{prefix}-t{loops}", $"engine alone, {loops} loop{(loops == 1 ? "" : "s")}",
        $"entries that do nothing, {Depth} at a time through submission, completion and continuation; .NET: hops of its pool", context =>
        {
            SluiceHandle handle = SluiceHandle.Open(context.HotFile);
            return new Contest(
                new Contender("Sluice", slice => Loops.RunLoops(loops, loop => NothingAsync(handle, slice, loop))) { Loops = loops },
                new Contender(".NET", slice => Loops.RunLoops(loops, loop => HopAsync(slice, loop))) { Loops = loops },
                handle);
        });

    private static async Task NothingAsync(SluiceHandle handle, Slice slice, int loop)
    {
        ValueTask[] operations = new ValueTask[Depth];
        do
        {
            for (int i = 0; i < Depth; i++)
                operations[i] = handle.NothingAsync();
            for (int i = 0; i < Depth; i++)
                await operations[i];
            slice.Count(loop, Depth);
        }
        while (!slice.IsOver);
    }

    private static async Task HopAsync(Slice slice, int loop)
    {
        do
        {
            for (int i = 0; i < Depth; i++)
                await Task.Yield();
            slice.Count(loop, Depth);
        }
        while (!slice.IsOver);
    }
}
