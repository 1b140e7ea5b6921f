using Sluice.Cli.Load;

namespace Sluice.Cli.Programs.Methods;

/// <summary>A way of reading or writing a whole file.</summary>
/// <param name="Name">The article's, where it is one of the article's.</param>
/// <param name="Open">What comes before the clock starts: nothing, but for <see cref="IsOpenBefore"/>.</param>
internal sealed record Method(string Name, IoSide Side, ResultKind Kind, Func<MethodInput, OpenedMethod> Open)
{
    public bool Writes { get; init; }

    /// <summary>Whether opening and closing the file is not timed.</summary>
    public bool IsOpenBefore { get; init; }

    public static Method Reading(string name, IoSide side, ResultKind kind, Func<MethodInput, MethodResult> run) =>
        new(name, side, kind, input => new OpenedMethod(() => run(input)));

    public static Method ReadingOpen(string name, IoSide side, ResultKind kind, Func<MethodInput, OpenedMethod> open) =>
        new(name, side, kind, open) { IsOpenBefore = true };

    public static Method Writing(string name, IoSide side, ResultKind kind, Action<MethodInput> run) =>
        new(name, side, kind, input => new OpenedMethod(() =>
        {
            run(input);
            return MethodResult.Written;
        }))
        { Writes = true };

    /// <param name="open">Opens the file, and tells what is timed.</param>
    public static Method WritingOpen(string name, IoSide side, ResultKind kind, Func<MethodInput,
        (Action Run, IDisposable[] Owned)> open) =>
        new(name, side, kind, input =>
        {
            (Action run, IDisposable[] owned) = open(input);
            return new OpenedMethod(
                () =>
                {
                    run();
                    return MethodResult.Written;
                },
                owned);
        })
        { Writes = true, IsOpenBefore = true };
}

/// <summary>What a method gives or takes: only those of one kind can be compared.</summary>
internal enum ResultKind { Bytes, Text, Lines }

/// <summary>A method ready to run: what is timed, and what was opened before and is closed after.</summary>
internal sealed record OpenedMethod(Func<MethodResult> Run, params IDisposable[] Owned) : IDisposable
{
    public void Dispose()
    {
        foreach (IDisposable resource in Owned)
            resource.Dispose();
    }
}
