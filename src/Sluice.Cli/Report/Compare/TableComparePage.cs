using Sluice.Cli.Report.Pages;

namespace Sluice.Cli.Report.Compare;

/// <summary>Two pages of the same command side by side: every number of the rows that both have. They keep no samples, so no intervals.</summary>
internal static class TableComparePage
{
    /// <returns>Null if the pages have no number in common.</returns>
    public static IReadOnlyList<PageSection>? Sections(ReportPage before, ReportPage after)
    {
        var sections = new List<PageSection>();
        foreach (PageSection second in after.Sections)
        {
            if (before.Sections.FirstOrDefault(s => s.Heading == second.Heading) is not { } first)
                continue;
            PageTable[] tables =
            [
                .. second.Tables.Select((t, i) => (After: t, Before: Match(first, t, i)))
                    .Where(p => p.Before is not null).SelectMany(p => Compare(p.Before!, p.After)),
            ];
            if (tables.Length > 0)
                sections.Add(new PageSection { Heading = second.Heading, Tables = tables });
        }
        return sections.Count == 0 ? null : sections;
    }

    private static PageTable? Match(PageSection section, PageTable table, int index) =>
        table.Title is { } title ? section.Tables.FirstOrDefault(t => t.Title == title) : section.Tables.ElementAtOrDefault(index);

    private static IEnumerable<PageTable> Compare(PageTable before, PageTable after)
    {
        var byKey = before.Rows.GroupBy(KeyOf, StringComparer.Ordinal).Where(g => g.Key.Length > 0).ToDictionary(g => g.Key, g => g.First());
        (int Before, int After)[] columns =
        [
            .. after.Columns.Index().Where(c => c.Item.Kind == ColumnKind.Number)
                .Select(c => (Before: IndexOf(before, c.Item), After: c.Index)).Where(c => c.Before >= 0),
        ];
        PageRow[] rows =
        [
            .. from row in after.Rows
               where byKey.ContainsKey(KeyOf(row))
               from column in columns
               let a = ValueAt(byKey[KeyOf(row)], column.Before)
               let b = ValueAt(row, column.After)
               where a is not null && b is not null
               select new PageRow(
                   NameOf(row), after.Columns[column.After].Header, byKey[KeyOf(row)].Cells[column.Before], row.Cells[column.After],
                   a > 0 ? PageCell.Of(b.Value / a.Value, "0.00") : PageCell.Empty)
               {
                   Key = $"{KeyOf(row)} {after.Columns[column.After].Header}",
               },
        ];
        if (rows.Length > 0)
        {
            yield return new PageTable
            {
                Title = after.Title,
                Columns = [PageColumn.Text("row"), PageColumn.Text("figure"), new PageColumn("first run"), new PageColumn("second run"), new PageColumn("second to first")],
                Rows = rows,
            };
        }
    }

    private static int IndexOf(PageTable table, PageColumn column)
    {
        for (int i = 0; i < table.Columns.Count; i++)
        {
            if (table.Columns[i] == column)
                return i;
        }
        return -1;
    }

    private static string KeyOf(PageRow row) => row.Key ?? NameOf(row);

    private static string NameOf(PageRow row) => row.Cells.Count > 0 ? row.Cells[0].Text : "";

    private static double? ValueAt(PageRow row, int column) => column < row.Cells.Count ? row.Cells[column].Value : null;
}
