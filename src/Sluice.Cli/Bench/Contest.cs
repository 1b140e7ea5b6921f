namespace Sluice.Cli.Bench;

/// <summary>An opened row: its contenders and what has to be closed after it.</summary>
internal sealed class Contest(Contender sluice, Contender dotNet, params IDisposable[] owned) : IDisposable
{
    public Contender Sluice { get; } = sluice;

    public Contender DotNet { get; } = dotNet;

    public Contender? Second { get; init; }

    /// <summary>Whether what <see cref="Second"/> gives is like the sides' figures, so that there is a ratio to it.</summary>
    public bool HasSecondRatio { get; init; } = true;

    /// <summary>Why fio, though installed, is not <see cref="Second"/> in a row that it stands beside; otherwise null.</summary>
    public string? FioError { get; init; }

    /// <summary>The same contest with a check of each side's results after each of its turns.</summary>
    public Contest Checked(Action<Slice> sluice, Action<Slice> dotNet) =>
        new(Sluice with { Verify = sluice }, DotNet with { Verify = dotNet }, this)
        {
            Second = Second,
            HasSecondRatio = HasSecondRatio,
            FioError = FioError,
        };

    /// <inheritdoc cref="Checked(Action{Slice}, Action{Slice})"/>
    public Contest Checked(Action sluice, Action dotNet) => Checked(_ => sluice(), _ => dotNet());

    public IEnumerable<Contender> All => Second is null ? [Sluice, DotNet] : [Sluice, DotNet, Second];

    public void Dispose()
    {
        foreach (IDisposable resource in owned)
            resource.Dispose();
    }
}
