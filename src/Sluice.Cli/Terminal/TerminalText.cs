using System.Globalization;
using Spectre.Console;

namespace Sluice.Cli.Terminal;

/// <summary>Replaces control characters, and breaks lines at the width of the terminal.</summary>
internal static class TerminalText
{
    // In a narrower column, indented text is harder to read than text that is not indented.
    private const int NarrowestRest = 20;

    /// <summary>Replaces each control character by a question mark: file names of other users must not control a terminal.</summary>
    public static string Printable(string text) =>
        text.Any(char.IsControl) ? string.Concat(text.Select(c => char.IsControl(c) ? '?' : c)) : text;

    /// <summary>As <see cref="Printable"/>, but keeps tabs and line ends.</summary>
    public static string PrintableContent(string text) =>
        string.Concat(text.Select(c => char.IsControl(c) && c is not ('\t' or '\n') ? '?' : c));

    /// <summary>Breaks a line at blanks so that no part is longer than the width of the terminal.</summary>
    /// <param name="text">One line, without an end of line.</param>
    /// <param name="width">Columns.</param>
    /// <param name="hang">Blanks before the second line and those after it; fewer where that leaves no room.</param>
    /// <param name="used">Columns of the first line that are taken already.</param>
    /// <returns>The lines; a word that is longer than a line has one of its own.</returns>
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

    // The last blank before the end of the room, behind the first word; else the first one behind the room.
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
