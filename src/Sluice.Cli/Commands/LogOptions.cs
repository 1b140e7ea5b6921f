using System.CommandLine;
using Sluice.Cli.Programs.Log;
using Sluice.Cli.Terminal;

namespace Sluice.Cli.Commands;

/// <summary>The actions of `sluice log`.</summary>
internal enum LogAction
{
    Load,
    Cat,
    Tail,
    Verify,
    Truncate,
}

/// <summary>The validated arguments of the `log` command.</summary>
/// <param name="From">The first record that `log cat` prints.</param>
/// <param name="SkipDamage">True if `log cat` continues after damage.</param>
/// <param name="After">The last record that `log truncate` keeps; null if it removes no records at the end.</param>
/// <param name="Before">
/// The first record that must stay: `log truncate` removes the segments whose records all precede it. Null to remove none.
/// </param>
internal sealed record LogOptions(
    LogAction Action, string Directory, LogLoad Load, long From, int Lines, bool Follow, bool SkipDamage, long? After, long? Before,
    bool Quiet)
{
    private const int MaxThreads = 10_000;
    private const int MaxSeconds = 86_400;

    /// <summary>Adds the options of `log` to the command.</summary>
    /// <returns>
    /// A function that converts a parse result to checked values; it throws a <see cref="UsageException"/> for invalid ones.
    /// </returns>
    public static Func<ParseResult, LogOptions> Define(OptionList command)
    {
        Argument<string?> action = command.OptionalArgument(
            "ACTION", "cat, tail, verify or truncate; without it a load test, in a folder of its own that is removed afterwards.");
        Argument<string?> directory = command.OptionalArgument(
            "DIR", "The folder of the log; for a load test, where to create one (the temporary folder).");
        Option<string> threads = command.Value("--threads", null, "N", "Load: threads that append (100).");
        Option<string> rate = command.Value("--rate", null, "size", "Load: bytes a second for each thread; 0: without limit (2M).");
        Option<string> size = command.Value("--size", null, "size", "Load: bytes of a record, from 20 to 1M - 4K (200).");
        Option<string> roll = command.Value("--roll", null, "size", "Load: bytes of a segment (256M).");
        Option<string> time = command.Value("--time", null, "seconds", "Load: duration of the test (30).");
        Option<string> durability = command.Value("--durability", null, "name", "Load: buffered, written or durable (written).");
        Option<string> from = command.Value("--from", null, "N", "cat: begin at this record (1).");
        Option<bool> skip = command.Flag("--skip-damage", null, "cat: report damage on stderr, and print the records after it, too.");
        Option<string> lines = command.Value("--lines", "n", "N", "tail: number of records, as in -n5 (10).");
        Option<bool> follow = command.Flag("--follow", "f", "tail: also print new records, until Ctrl-C.");
        Option<string> after = command.Value("--after", null, "N", "truncate: remove all records after this one (none).");
        Option<string> before = command.Value("--before", null, "N",
            "truncate: remove segments whose records are all before this one (none).");
        Option<bool> quiet = command.Flag("--quiet", "q", "Load: show no progress.");
        (LogAction Of, Option[] Options)[] owned =
        [
            (LogAction.Load, [threads, rate, size, roll, time, durability]),
            (LogAction.Cat, [from, skip]), (LogAction.Tail, [lines, follow]), (LogAction.Truncate, [after, before]),
        ];
        return Bind;

        LogOptions Bind(ParseResult result)
        {
            (LogAction what, string where) = ParseAction(result.GetValue(action), result.GetValue(directory));
            foreach ((LogAction of, Option[] options) in owned)
                RefuseUnless(what == of, of, options, result);
            LogLoad byDefault = new();
            LogOptions bound = new(what, where,
                Load: byDefault with
                {
                    Threads = OptionText.Whole("--threads", result.GetValue(threads), 1, MaxThreads, byDefault.Threads),
                    BytesPerSecond = OptionText.Size("--rate", result.GetValue(rate), 0, ByteSize.TiB) ?? byDefault.BytesPerSecond,
                    RecordBytes = (int?)OptionText.Size("--size", result.GetValue(size), LogLoad.MinRecordBytes, ByteSize.MiB - 4096)
                        ?? byDefault.RecordBytes,
                    SegmentBytes = OptionText.Size("--roll", result.GetValue(roll), 4096, ByteSize.TiB) ?? byDefault.SegmentBytes,
                    Seconds = OptionText.Whole("--time", result.GetValue(time), 1, MaxSeconds, byDefault.Seconds),
                    Durability = OptionText.Choice("--durability", result.GetValue(durability), ("buffered", LogDurability.Buffered),
                        ("written", LogDurability.Written), ("durable", LogDurability.Durable)) ?? byDefault.Durability,
                },
                From: OptionText.Whole("--from", result.GetValue(from), 0, long.MaxValue) ?? 1,
                Lines: OptionText.Whole("--lines", result.GetValue(lines), 0, int.MaxValue, 10),
                Follow: result.GetValue(follow),
                SkipDamage: result.GetValue(skip),
                After: OptionText.Whole("--after", result.GetValue(after), 0, long.MaxValue),
                Before: OptionText.Whole("--before", result.GetValue(before), 0, long.MaxValue),
                Quiet: result.GetValue(quiet));
            return what != LogAction.Truncate || bound.After is null != bound.Before is null
                ? bound
                : throw new UsageException("truncate needs --after N or --before N, one of them");
        }
    }

    /// <summary>Throws if an option of another action was given, as in `log -f`, where -f is not an option of the load test.</summary>
    private static void RefuseUnless(bool isRight, LogAction of, Option[] options, ParseResult result)
    {
        if (!isRight && Array.Find(options, o => result.GetResult(o) is { Implicit: false }) is { } option)
        {
            throw new UsageException(
                $"{option.Name} is {(of == LogAction.Load ? "the load test's" : $"for {of.ToString().ToLowerInvariant()}")}");
        }
    }

    private static (LogAction Action, string Directory) ParseAction(string? first, string? second)
    {
        if (second is null && first is not ("cat" or "tail" or "verify" or "truncate"))
            return (LogAction.Load, first ?? Path.GetTempPath());
        LogAction action = OptionText.Choice("log", first, ("cat", LogAction.Cat), ("tail", LogAction.Tail),
            ("verify", LogAction.Verify), ("truncate", LogAction.Truncate)) ?? LogAction.Load;
        return (action, second ?? throw new UsageException($"{first} needs the log's folder"));
    }
}
