using System.CommandLine;
using Sluice.Cli.Report.Pages;
using Sluice.Cli.Terminal;

namespace Sluice.Cli.Commands;

/// <summary>One checked `ops` command line.</summary>
internal sealed record OpsOptions(string Directory)
{
    public EngineChoice Engine { get; init; } = EngineChoice.Both;

    public int SizeBytes { get; init; } = (int)(20 * ByteSize.MiB);

    public int ChunkBytes { get; init; } = (int)(4 * ByteSize.KiB);

    public int Rounds { get; init; } = 5;

    public PageOutput Output { get; init; } = new();

    /// <summary>Print the article's comma-separated lines.</summary>
    public bool Quiet { get; init; }

    /// <summary>Adds the options of `ops` to the command.</summary>
    /// <returns>From what was parsed to checked values; throws <see cref="UsageException"/> where they make no sense.</returns>
    public static Func<ParseResult, OpsOptions> Define(OptionList command)
    {
        Argument<string?> directory = command.OptionalArgument("DIR", "Where to make the file (the temporary folder).");
        Option<string> size = command.Value("--size", null, "size", "Bytes to write and to read, up to 1G (20M).");
        Option<string> chunk = command.Value("--chunk", "b", "size", "Bytes of a chunk (4K).");
        Option<string> rounds = command.Rounds();
        Option<string> engine = command.Value("--engine", null, "name", "sluice, bcl (.NET's FileStream) or both (both).");
        Option<bool> quiet = command.Flag("--quiet", "q", "Print comma-separated lines: operation, milliseconds.");
        Func<ParseResult, PageOutput> output = PageOutput.Define(command);
        return Bind;

        OpsOptions Bind(ParseResult result)
        {
            var options = new OpsOptions(result.GetValue(directory) ?? Path.GetTempPath());
            options = options with
            {
                SizeBytes = (int?)OptionText.Size("--size", result.GetValue(size), 1, ByteSize.GiB) ?? options.SizeBytes,
                ChunkBytes = (int?)OptionText.Size("--chunk", result.GetValue(chunk), 1, ByteSize.GiB) ?? options.ChunkBytes,
                Rounds = OptionText.Rounds(result.GetValue(rounds), options.Rounds),
                Engine = SpeedOptions.EngineOf(result.GetValue(engine)) ?? EngineChoice.Both,
                Quiet = result.GetValue(quiet),
                Output = output(result),
            };
            return options.SizeBytes % options.ChunkBytes == 0
                ? options
                : throw new UsageException($"--size is whole chunks, and {options.SizeBytes} is no multiple of {options.ChunkBytes}");
        }
    }
}
