namespace Sluice.Cli.Bench.Logs;

/// <summary>Rows about a log that is there: read again, and opened after its writer was killed.</summary>
internal static class LogReadRows
{
    private const int TimedOpenings = 7;

    public static Row ReadBack() => new(
        "log-read", "read back, checked, hot", "every frame's sum is right; .NET: BinaryReader over records with a length, unchecked",
        context =>
        {
            MadeLog made = context.Shared("log-made", () => new MadeLog(context));
            return new Contest(
                new Contender("Sluice", slice => Loops.RepeatLong(slice, () => slice.Count(0, made.Read()))),
                new Contender(".NET", slice => Loops.RepeatLong(slice, () => slice.Count(0, made.ReadPlain()))));
        })
    {
        Unit = RateUnit.MiBPerSecond,
        BytesPerOperation = static _ => LogSuite.RecordBytes,
        Target = new RowTarget { MinMiBPerSecond = 3e9 / (1 << 20) },
    };

    public static Row OpenAfterCrash() => new(
        "log-open", "log of 1 GiB opened after a crash",
        "the last segment, nearly full, is checked as a whole; .NET: a file of a segment's size is read through once",
        context =>
        {
            MadeLog made = context.Shared("log-made", () => new MadeLog(context));
            return new Contest(
                // Once in each turn: a log that was opened is closed in good order, and opens at once.
                new Contender("Sluice", slice =>
                {
                    made.OpenCrashed();
                    slice.Count(0);
                    return Task.CompletedTask;
                })
                {
                    Prepare = made.Crash,
                    RunTimedAsync = slice =>
                    {
                        for (int i = 0; i < TimedOpenings; i++)
                        {
                            made.Crash();
                            long began = slice.Begin();
                            made.OpenCrashed();
                            slice.End(began);
                            slice.Count(0);
                        }
                        return Task.CompletedTask;
                    },
                },
                new Contender(".NET", slice => Loops.RepeatLong(slice, () =>
                {
                    long began = slice.Begin();
                    made.ReadLastSegment();
                    slice.End(began);
                    slice.Count(0);
                })));
        })
    {
        Target = new RowTarget { MaxMilliseconds = 500 },
    };
}
