using System.Reflection;

namespace Sluice.Cli.Report.Html;

/// <summary>The styles and scripts of a page, which the build embeds in the tool.</summary>
internal static class HtmlAssets
{
    public static string Script { get; } =
        $"(() => {{\n'use strict';\n\n{Required("format.js")}\n{Required("charts.js")}\n{Required("page.js")}}})();\n";

    public static string Style { get; } = Required("report.css");

    /// <summary>The script of uPlot; null if the tool was built without Node, which downloads it.</summary>
    public static string? UplotScript { get; } = Find("uPlot.js");

    public static string? UplotStyle { get; } = Find("uPlot.css");

    public static string? UplotLicence { get; } = Find("uPlot.licence");

    private static string Required(string name) => Find(name) ?? throw new InvalidOperationException($"{name} is not embedded");

    private static string? Find(string name)
    {
        using Stream? stream = Assembly.GetExecutingAssembly().GetManifestResourceStream($"Sluice.Cli.Report.{name}");
        if (stream is null)
            return null;
        using var reader = new StreamReader(stream);
        return reader.ReadToEnd();
    }
}
