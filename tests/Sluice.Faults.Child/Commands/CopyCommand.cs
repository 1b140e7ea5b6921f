namespace Sluice.Faults.Child.Commands;

/// <summary>Copies two files over one target for ever, in turns, and says when each copy is there, and that the next one begins.</summary>
internal static class CopyCommand
{
    public static async Task<int> RunAsync(string folder, CopyMethod method)
    {
        await using Stream output = Console.OpenStandardOutput();
        await using StreamWriter acknowledgements = new(output) { AutoFlush = true };
        CopyOptions options = new() { Method = method, Overwrite = true };
        for (int turn = 0; ; turn++)
        {
            _ = await SluiceFile.CopyAsync(Path.Combine(folder, $"source-{turn % 2}"), Path.Combine(folder, "target"), options);
            await acknowledgements.WriteLineAsync($"{turn}");
            await acknowledgements.WriteLineAsync("next");
        }
    }
}
