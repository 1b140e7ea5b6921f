using System.Globalization;
using Spectre.Console;

namespace Sluice.Cli.Terminal;

/// <summary>Replaces control characters, and breaks lines at the width of the terminal.</summary>
internal static class TerminalText
{
    // The minimum width of indented text: in a narrower column, it is harder to read than text without an indent.
    private const int NarrowestRest = 20;

    /// <summary>
    /// Replaces each control character with a question mark, because file names of other users must not control a terminal.
    /// </summary>
    public static string Printable(string text) =>
        text.Any(char.IsControl) ? string.Concat(text.Select(c => char.IsControl(c) ? '?' : c)) : text;

    /// <summary>Replaces each control character except tabs and line feeds with a question mark.</summary>
    public static string PrintableContent(string text) =>
        string.Concat(text.Select(c => char.IsControl(c) && c is not ('\t' or '\n') ? '?' : c));

    /// <summary>Breaks a line at blanks, so that no part is longer than the width of the terminal.</summary>
    /// <param name="text">One line, without a line end.</param>
    /// <param name="width">The number of columns of the terminal.</param>
    /// <param name="hang">The number of blanks before the second and later lines; fewer if they would leave too little space.</param>
    /// <param name="used">The number of columns of the first line that are already written.</param>
    /// <returns>The lines. A word that is longer than a line is not broken.</returns>
    public static IEnumerable<string> Wrap(string text, int width, int hang = 0, int used = 0)
    {
        string indent = new(' ', Math.Clamp(hang, 0, Math.Max(0, width - NarrowestRest)));
        text = text.TrimEnd();
        int room = Math.Max(1, width - used);
        while (Columns(text) > room && LastBlank(text, room) is > 0 and var blank)
        {
            yield return text[..blank].TrimEnd();
            text = indent + text[blank..].TrimStart();
            room = width;
        }
        yield return text;
    }

    /// <summary>Returns the number of columns in a terminal: two for most East Asian characters, none for combining accents.</summary>
    public static int Columns(string text) => text.GetCellWidth();

    /// <summary>Returns the beginning of a text that fits in a number of columns. Characters keep their combining accents.</summary>
    public static string Cut(string text, int columns)
    {
        if (Columns(text) <= columns)
            return text;
        int length = 0;
        int used = 0;
        while (length < text.Length)
        {
            int next = StringInfo.GetNextTextElementLength(text, length);
            used += Columns(text.Substring(length, next));
            if (used > columns)
                break;
            length += next;
        }
        return text[..length];
    }

    // Returns the last blank in the first room columns, after the first word; otherwise, the first blank after them.
    private static int LastBlank(string text, int room)
    {
        int word = text.Length - text.TrimStart().Length;
        int found = -1;
        for (int i = word; i < text.Length; i++)
        {
            if (text[i] != ' ')
                continue;
            if (found > 0 && Columns(text[..i]) > room)
                break;
            found = i;
        }
        return found;
    }
}
