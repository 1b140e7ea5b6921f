using System.CommandLine;
using Sluice.Cli.Report.Pages;

namespace Sluice.Cli.Commands;

/// <summary>The options of `ops` as the parser knows them, and their way into checked values.</summary>
internal sealed class OpsArguments
{
    private const int MostRounds = 1000;

    private readonly Argument<string?> _directory = new("DIR")
    {
        Description = "Where to make the file (the temporary folder).",
        Arity = ArgumentArity.ZeroOrOne,
    };

    private readonly Option<string> _size;
    private readonly Option<string> _chunk;
    private readonly Option<string> _rounds;
    private readonly Option<string> _engine;
    private readonly Option<bool> _quiet;
    private readonly PageOutputArguments _output;

    public OpsArguments(OptionList options)
    {
        options.Argument(_directory);
        _size = options.Value("--size", null, "size", "Bytes to write and to read, up to 1G (20M).");
        _chunk = options.Value("--chunk", "b", "size", "Bytes of a chunk (4K).");
        _rounds = options.Value("--rounds", null, "N", "Run all N times, in turns, and take the medians (5).");
        _engine = options.Value("--engine", null, "name", "sluice, bcl (.NET's FileStream) or both (both).");
        _quiet = options.Flag("--quiet", "q", "Print comma-separated lines: operation, milliseconds.");
        _output = new PageOutputArguments(options);
    }

    /// <exception cref="UsageException">Values that make no sense, alone or together.</exception>
    public OpsOptions Bind(ParseResult result)
    {
        var options = new OpsOptions(result.GetValue(_directory) ?? Path.GetTempPath());
        options = options with
        {
            SizeBytes = ParseSize("--size", result.GetValue(_size), options.SizeBytes),
            ChunkBytes = ParseSize("--chunk", result.GetValue(_chunk), options.ChunkBytes),
            Rounds = Number.Parse("--rounds", result.GetValue(_rounds), 1, MostRounds, options.Rounds),
            Engine = ParseEngine(result.GetValue(_engine)),
            Quiet = result.GetValue(_quiet),
            Output = _output.Bind(result),
        };
        return options.SizeBytes % options.ChunkBytes == 0
            ? options
            : throw new UsageException($"--size is whole chunks, and {options.SizeBytes} is no multiple of {options.ChunkBytes}");
    }

    private static int ParseSize(string option, string? text, int byDefault)
    {
        if (text is null)
            return byDefault;
        return ByteSize.TryParse(text, out long bytes) && bytes is > 0 and <= ByteSize.GiB
            ? (int)bytes
            : throw new UsageException($"{option}: '{text}' is not a size from 1 to 1G");
    }

    private static EngineChoice ParseEngine(string? text) => text switch
    {
        "sluice" => EngineChoice.Sluice,
        "bcl" => EngineChoice.Bcl,
        null or "both" => EngineChoice.Both,
        _ => throw new UsageException($"--engine: '{text}' is none of sluice, bcl, both"),
    };
}
