using Microsoft.Win32.SafeHandles;

namespace Sluice.Cli.Bench.Handles;

/// <summary>Rows about the engine without a device: the cost of submission, completion and continuation.</summary>
internal static class EngineRows
{
    /// <summary>The number of operations in flight for each loop. They are submitted and completed together.</summary>
    private const int Depth = 8;

    /// <summary>
    /// Creates a row of loops of operations that do nothing. .NET reads one cached byte with a work item and a call instead.
    /// </summary>
    public static Row Alone(int loops, string prefix) => new(
        $"{prefix}-t{loops}", $"engine alone, {loops} loop{(loops == 1 ? "" : "s")}",
        $"entries that do nothing, {Depth} at a time through submission, completion and continuation; .NET: ReadAsync of one cached byte",
        context =>
        {
            SluiceHandle handle = SluiceHandle.Open(context.HotFile);
            SafeFileHandle file = File.OpenHandle(context.HotFile, options: FileOptions.Asynchronous);
            return new Contest(
                new Contender("Sluice", slice => Loops.RunLoops(loops, loop => NothingAsync(handle, slice, loop))) { Loops = loops },
                new Contender(".NET", slice => Loops.RunLoops(loops, loop => ByteAsync(file, slice, loop))) { Loops = loops },
                handle, file);
        });

    private static async Task NothingAsync(SluiceHandle handle, Slice slice, int loop)
    {
        ValueTask[] operations = new ValueTask[Depth];
        do
        {
#pragma warning disable CA2012 // Each is awaited once, below, when all have begun.
            for (int i = 0; i < Depth; i++)
                operations[i] = handle.NothingAsync();
#pragma warning restore CA2012
            for (int i = 0; i < Depth; i++)
                await operations[i];
            slice.Count(loop, Depth);
        }
        while (!slice.IsOver);
    }

    private static async Task ByteAsync(SafeFileHandle file, Slice slice, int loop)
    {
        ValueTask<int>[] operations = new ValueTask<int>[Depth];
        byte[] buffer = new byte[Depth];
        do
        {
#pragma warning disable CA2012 // As above.
            for (int i = 0; i < Depth; i++)
                operations[i] = RandomAccess.ReadAsync(file, buffer.AsMemory(i, 1), i);
#pragma warning restore CA2012
            for (int i = 0; i < Depth; i++)
                await operations[i];
            slice.Count(loop, Depth);
        }
        while (!slice.IsOver);
    }
}
