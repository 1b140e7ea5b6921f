using System.Globalization;
using Spectre.Console;

namespace Sluice.Cli.Terminal;

/// <summary>What may be printed, and how a line of words is broken where a terminal ends.</summary>
internal static class TerminalText
{
    // Words in a narrower column are harder to read than words that are not indented.
    private const int NarrowestRest = 20;

    /// <summary>With a question mark for each control character: names that others gave to files must not steer a terminal.</summary>
    public static string Printable(string text) =>
        text.Any(char.IsControl) ? string.Concat(text.Select(c => char.IsControl(c) ? '?' : c)) : text;

    /// <summary>The same, with tabs and ends of lines.</summary>
    public static string PrintableContent(string text) =>
        string.Concat(text.Select(c => char.IsControl(c) && c is not ('\t' or '\n') ? '?' : c));

    /// <summary>Broken at blanks so that no line is longer than the terminal is wide.</summary>
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

    /// <summary>Columns that it takes in a terminal: two for most signs of East Asia, none for an accent that joins its letter.</summary>
    public static int Columns(string text) => text.GetCellWidth();

    /// <summary>As much of it, from the front, as has room in so many columns; no letter is parted from its accents.</summary>
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
