using System.Net;

namespace Sluice.Cli.Report.Html;

internal static class HtmlText
{
    /// <summary>Escapes text for element content and for attributes in double quotes.</summary>
    public static string Escape(string? text) => WebUtility.HtmlEncode(text) ?? "";
}
