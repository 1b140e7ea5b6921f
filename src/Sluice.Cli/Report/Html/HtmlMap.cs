using System.Globalization;
using Sluice.Cli.Report.Pages;
using Sluice.Cli.Terminal;

namespace Sluice.Cli.Report.Html;

/// <summary>Writes a map of the places of one or many files on the device as an SVG image, without a script.</summary>
internal static class HtmlMap
{
    private const int Width = 1000;
    private const int StripHeight = 26;
    private const int JoinHeight = 90;

    public static void Write(TextWriter writer, PageMap map)
    {
        bool isFile = map.FileBytes is not null;
        int deviceTop = isFile ? StripHeight + JoinHeight : 0;
        int height = deviceTop + StripHeight;
        writer.WriteLine("<figure class=\"map\">");
        writer.WriteLine($"<figcaption>{HtmlText.Escape(map.Title)}</figcaption>");
        if (isFile)
            WriteEnds(writer, "file: 0", ByteSize.Format(map.FileBytes!.Value));
        // The labels are not part of the image, because it is stretched only horizontally.
        writer.WriteLine($"<svg viewBox=\"0 0 {Width} {height}\" height=\"{height}\" preserveAspectRatio=\"none\" role=\"img\" "
            + $"aria-label=\"{HtmlText.Escape(map.Title)}\">");
        if (isFile)
            writer.WriteLine($"<rect class=\"frame\" x=\"0\" y=\"0\" width=\"{Width}\" height=\"{StripHeight}\"/>");
        writer.WriteLine($"<rect class=\"frame\" x=\"0\" y=\"{deviceTop}\" width=\"{Width}\" height=\"{StripHeight}\"/>");
        foreach (MapSpan span in map.Spans)
            WriteSpan(writer, map, span, deviceTop);
        writer.WriteLine("</svg>");
        WriteEnds(writer, $"device: {ByteSize.Format(map.DeviceStart)}", ByteSize.Format(map.DeviceEnd));
        writer.WriteLine("</figure>");
    }

    private static void WriteEnds(TextWriter writer, string left, string right) =>
        writer.WriteLine($"<div class=\"ends\"><span>{left}</span><span>{right}</span></div>");

    private static void WriteSpan(TextWriter writer, PageMap map, MapSpan span, int deviceTop)
    {
        double deviceBytes = Math.Max(1, map.DeviceEnd - map.DeviceStart);
        double from = (span.DeviceOffset - map.DeviceStart) / deviceBytes * Width;
        // The minimum width keeps a part visible that is narrower than half a pixel.
        double width = Math.Max(0.6, span.Length / deviceBytes * Width);
        if (span.FileOffset is not { } offset)
        {
            writer.WriteLine($"<rect x=\"{N(from)}\" y=\"{deviceTop}\" width=\"{N(width)}\" height=\"{StripHeight}\" "
                + $"fill=\"var(--cool-0)\" fill-opacity=\"{N(0.3 + 0.7 * Math.Sqrt(span.Fill))}\"/>");
            return;
        }
        double fileBytes = Math.Max(1, map.FileBytes ?? 1);
        double top = offset / fileBytes * Width;
        double topWidth = Math.Max(0.6, span.Length / fileBytes * Width);
        // The color changes from teal over violet to orange along the file, and so shows the place in the file.
        string colour = $"hsl({N(175 + 215 * offset / fileBytes)} 60% 50%)";
        int join = StripHeight;
        writer.WriteLine($"<g fill=\"{colour}\">"
            + $"<title>{ByteSize.Format(span.Length)} at {ByteSize.Format(offset)} of the file, at {ByteSize.Format(span.DeviceOffset)} of "
            + $"the device</title><rect x=\"{N(top)}\" y=\"0\" width=\"{N(topWidth)}\" height=\"{StripHeight}\"/>"
            + $"<path fill-opacity=\".28\" d=\"M{N(top)} {join}L{N(top + topWidth)} {join}L{N(from + width)} {deviceTop}L{N(from)} "
            + $"{deviceTop}Z\"/>"
            + $"<rect x=\"{N(from)}\" y=\"{deviceTop}\" width=\"{N(width)}\" height=\"{StripHeight}\"/></g>");
    }

    private static string N(double value) => value.ToString("0.##", CultureInfo.InvariantCulture);
}
