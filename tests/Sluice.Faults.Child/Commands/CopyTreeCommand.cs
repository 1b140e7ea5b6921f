namespace Sluice.Faults.Child.Commands;

/// <summary>Copies a tree for ever, going on from what was left, and says when each copy is there; then it takes it away as a
/// whole.</summary>
internal static class CopyTreeCommand
{
    public static async Task<int> RunAsync(string folder)
    {
        await using Stream output = Console.OpenStandardOutput();
        await using StreamWriter acknowledgements = new(output) { AutoFlush = true };
        CopyOptions options = new() { Recurse = true, PreserveMetadata = true, SkipUnchanged = true, Overwrite = true };
        string copy = Path.Combine(folder, "copy");
        string gone = Path.Combine(folder, $"gone-{Environment.ProcessId}");
        for (int turn = 0; ; turn++)
        {
            _ = await SluiceFile.CopyAsync(Path.Combine(folder, "tree"), copy, options);
            await acknowledgements.WriteLineAsync($"{turn}");

            // Under its own name nothing is taken away.
            Directory.Move(copy, gone);
            Directory.Delete(gone, recursive: true);
        }
    }
}
