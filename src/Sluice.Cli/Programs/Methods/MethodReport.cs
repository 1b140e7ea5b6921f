using Sluice.Cli.Bench;
using Sluice.Cli.Load;
using Sluice.Cli.Programs.Measuring;
using Sluice.Cli.Report.Pages;
using Sluice.Cli.Terminal;

namespace Sluice.Cli.Programs.Methods;

/// <summary>The results of the methods on files of one size, without methods that were not measured.</summary>
internal sealed record MethodSize(
    int SizeBytes, IReadOnlyDictionary<Method, ContenderReport> Rates, IReadOnlyDictionary<Method, string> Wrong)
{
    /// <summary>The size in the unit of the article "Efficient File I/O From C#": MiB from 0.5 MiB on.</summary>
    public string Name => NameOf(SizeBytes);

    public double Mebibytes => SizeBytes / (double)ByteSize.MiB;

    public static string NameOf(int sizeBytes) => sizeBytes < ByteSize.MiB / 2
        ? ByteSize.Format(sizeBytes)
        : $"{sizeBytes / (double)ByteSize.MiB:0.##} MiB";
}

/// <summary>Formats the times of the methods as tables, one for each kind of result, with the ratio to the fastest .NET method.</summary>
internal static class MethodReport
{
    /// <param name="sizes">The results, in the order in which they are shown.</param>
    public static IReadOnlyList<PageSection> Sections(IReadOnlyList<Method> methods, IReadOnlyList<MethodSize> sizes) =>
    [
        .. methods.Where(m => sizes.Any(s => s.Rates.ContainsKey(m)))
            .GroupBy(m => (m.Writes, IsOpen: m.Open is not null, Kind: m.Open is not null ? ResultKind.Bytes : m.Kind))
            .OrderBy(g => g.Key.Writes).ThenBy(g => g.Key.IsOpen).ThenBy(g => g.Key.Kind)
            .Select(g => Section(Heading(g.Key.Writes, g.Key.IsOpen, g.Key.Kind), [.. g], sizes)),
    ];

    private static string Heading(bool writes, bool isOpen, ResultKind kind) => (writes ? "Writing" : "Reading") + (isOpen
        ? " an open file, without open and close"
        : kind switch
        {
            ResultKind.Bytes => writes ? " bytes" : " into bytes",
            ResultKind.Text => writes ? " characters" : " into characters",
            _ => writes ? " lines" : " into lines",
        });

    private static PageSection Section(string heading, IReadOnlyList<Method> methods, IReadOnlyList<MethodSize> sizes)
    {
        MethodSize largest = sizes[^1];
        return new PageSection
        {
            Heading = heading,
            Tables =
            [
                new PageTable(
                    [
                        PageColumn.Text("method"), PageColumn.Text("by"),
                        .. sizes.SelectMany(s => (PageColumn[])
                            [new(s.Name, "ms"), new(s.Name, "MiB/s"), new($"{s.Name} ratio")]),
                        PageColumn.Text("result"),
                    ],
                    [
                        .. methods.Select(m => new PageRow(
                            [m.Name, Name(m), .. sizes.SelectMany(s => Cells(m, methods, s)), ResultOf(m, sizes)])),
                    ]),
            ],
            Charts =
            [
                RateCells.BarsOfSides(
                    $"{heading}, {largest.Name}", "method",
                    [
                        .. methods.Select(m => (
                            m.Name, Name(m), largest.Rates.GetValueOrDefault(m)?.SliceRates.Select(r => r * largest.Mebibytes))),
                    ]),
            ],
        };
    }

    private static IEnumerable<PageCell> Cells(Method method, IReadOnlyList<Method> methods, MethodSize size)
    {
        if (!size.Rates.TryGetValue(method, out ContenderReport? rate))
            return [PageCell.Empty, PageCell.Empty, PageCell.Empty];
        // Methods with a wrong result are not compared.
        ContenderReport? fastest = methods.Where(m => m.Side == IoSide.Bcl && !size.Wrong.ContainsKey(m))
            .Select(m => size.Rates.GetValueOrDefault(m)).MaxBy(r => r?.Rate);
        return [rate.Milliseconds(), rate.Cell(1 / size.Mebibytes, "#,0"), rate.RatioTo(fastest)];
    }

    private static PageCell ResultOf(Method method, IReadOnlyList<MethodSize> sizes) =>
        sizes.FirstOrDefault(s => s.Wrong.ContainsKey(method)) is { } size ? $"WRONG: {size.Name}: {size.Wrong[method]}" : "right";

    private static string Name(Method method) => method.Side == IoSide.Bcl ? ".NET" : "Sluice";
}
