using System.Globalization;
using System.Text;

namespace Sluice.Log.Folders;

/// <summary>
/// The names of a log's files: text, the segment's id, and possibly the time at which the file was created. A file belongs to the log if
/// its name matches the pattern.
/// </summary>
internal sealed class SegmentNames
{
    /// <summary>The suffix of a compressed segment.</summary>
    public const string Compressed = ".gz";

    /// <summary>The suffix of the copy of a segment while it is being compressed.</summary>
    public const string Compressing = ".gz.tmp";

    /// <summary>The largest id of a segment.</summary>
    public const long MaxId = 999_999_999_999_999_999;

    private const int MaxNameBytes = 255;
    private const string IdToken = "{id}";
    private const string DateToken = "{date:";
    private const char Mark = '\0';
    private const string NotInNames = "/\\:*?\"<>|";
    private static readonly string[] s_units = ["yyyy", "MM", "dd", "HH", "mm", "ss"];

    private readonly string _pattern;

    /// <summary>The token of the time in the pattern and its format; empty if names have no time.</summary>
    private readonly string _date = "";
    private readonly string _format = "";
    private readonly int _units;

    private SegmentNames(string pattern)
    {
        _pattern = pattern;
        int date = pattern.IndexOf(DateToken, StringComparison.Ordinal);
        int end = date < 0 ? -1 : pattern.IndexOf('}', date);
        if (end >= 0)
        {
            _date = pattern[date..(end + 1)];
            _format = _date[DateToken.Length..^1];
            _units = CountUnits(_format);
        }
    }

    /// <summary>The names of a framed log: 0000000001.slog and so on.</summary>
    public static SegmentNames Framed { get; } = new("{id}.slog");

    /// <summary>The default names of a raw log: 0000000001.log and so on.</summary>
    public static SegmentNames Raw { get; } = new("{id}.log");

    /// <summary>True if names contain a time.</summary>
    public bool HasDate => _units > 0;

    /// <summary>Reads and checks a pattern.</summary>
    /// <exception cref="ArgumentException">The pattern is not valid.</exception>
    public static SegmentNames Parse(string pattern)
    {
        SegmentNames names = new(pattern);
        return names.FindFault() is not { } reason ? names
            : throw new ArgumentException($"'{pattern}' is not a pattern of file names: {reason}.", nameof(SluiceLogOptions.FileNamePattern));
    }

    /// <summary>Returns the name of a segment.</summary>
    /// <param name="id">The id of the segment.</param>
    /// <param name="utc">The creation time of the segment.</param>
    /// <exception cref="IOException">The id is too large.</exception>
    public string NameOf(long id, DateTime utc = default)
    {
        if (id > MaxId)
        {
            throw new IOException($"Making segment {id} failed: a segment's number has 18 digits at most.");
        }

        string name = _pattern.Replace(IdToken, id.ToString("D10", CultureInfo.InvariantCulture), StringComparison.Ordinal);
        return HasDate
            ? name.Replace(_date, utc.ToString(_format, CultureInfo.InvariantCulture), StringComparison.Ordinal)
            : name;
    }

    /// <summary>Returns true if a name, without the suffix of a compressed file, is that of a segment of this log.</summary>
    public bool TryParse(string name, out long id, out DateTime utc)
    {
        (id, utc) = (0, default);
        int idAt = _pattern.IndexOf(IdToken, StringComparison.Ordinal);
        int dateAt = HasDate ? _pattern.IndexOf(_date, StringComparison.Ordinal) : -1;
        int digits = name.Length - (_pattern.Length - IdToken.Length - _date.Length + _format.Length);
        if (digits is < 10 or > 18)
        {
            return false;
        }

        if (HasDate)
        {
            // The second token is shifted by the difference in length between the first token and its value.
            (idAt, dateAt) = dateAt < idAt ? (idAt + _format.Length - _date.Length, dateAt) : (idAt, dateAt + digits - IdToken.Length);
            if (!DateTime.TryParseExact(
                name.AsSpan(dateAt, _format.Length), _format, CultureInfo.InvariantCulture, DateTimeStyles.None, out utc))
            {
                return false;
            }
        }

        return long.TryParse(name.AsSpan(idAt, digits), NumberStyles.None, CultureInfo.InvariantCulture, out id) && NameOf(id, utc) == name;
    }

    /// <summary>
    /// Returns the first time after the specified one that results in another name; <see cref="DateTime.MaxValue"/> if there is none.
    /// </summary>
    public DateTime EndOf(DateTime utc)
    {
        try
        {
            DateTime start = _units == 0 ? DateTime.MaxValue : DateTime.ParseExact(
                utc.ToString(_format, CultureInfo.InvariantCulture), _format, CultureInfo.InvariantCulture);
            return _units switch
            {
                0 => start,
                1 => start.AddYears(1),
                2 => start.AddMonths(1),
                3 => start.AddDays(1),
                4 => start.AddHours(1),
                5 => start.AddMinutes(1),
                _ => start.AddSeconds(1),
            };
        }
        catch (ArgumentOutOfRangeException)
        {
            return DateTime.MaxValue;
        }
    }

    /// <summary>Returns the number of units of a format such as "yyyy-MM-dd"; 0 if it is not valid.</summary>
    private static int CountUnits(string format)
    {
        int at = 0;
        int units = 0;
        while (units < s_units.Length && at < format.Length)
        {
            at += units > 0 && format[at] is '-' or '_' or '.' ? 1 : 0;
            if (!format.AsSpan(at).StartsWith(s_units[units], StringComparison.Ordinal))
            {
                return 0;
            }

            at += s_units[units++].Length;
        }

        return at == format.Length ? units : 0;
    }

    private string? FindFault()
    {
        string[] taken = [".gz", ".tmp", ".slog", ".state"];
        if (_pattern.EndsWith('.') || _pattern.EndsWith(' ') || taken.Any(e => _pattern.EndsWith(e, StringComparison.OrdinalIgnoreCase)))
        {
            return $"it ends in a dot, a space, or one of {string.Join(", ", taken)}";
        }

        if (_pattern.Split(IdToken).Length != 2 || (HasDate && _pattern.Split(_date).Length != 2))
        {
            return "it needs {id} once, and may have one {date:}";
        }

        string text = _pattern.Replace(IdToken, "", StringComparison.Ordinal);
        text = HasDate ? text.Replace(_date, "", StringComparison.Ordinal) : text;
        if (text.AsSpan().ContainsAny('{', '}'))
        {
            return "its only braces are those of {id} and {date:yyyyMMddHHmmss}, which may end after each unit and have one of -_. between units";
        }

        if (text.Any(static c => char.IsControl(c) || NotInNames.Contains(c)) || text.EnumerateRunes().Contains(Rune.ReplacementChar))
        {
            return $"a name is Unicode text without control characters and without {NotInNames}";
        }

        string marked = _pattern.Replace(IdToken, $"{Mark}", StringComparison.Ordinal);
        marked = HasDate ? marked.Replace(_date, $"{Mark}", StringComparison.Ordinal) : marked;
        for (int i = 1; i < marked.Length; i++)
        {
            (char before, char c) = (marked[i - 1], marked[i]);
            if ((before == Mark && (c == Mark || char.IsAsciiDigit(c))) || (c == Mark && char.IsAsciiDigit(before)))
            {
                return "{id} and {date:} have no digit and not one another beside them";
            }
        }

        return Encoding.UTF8.GetByteCount(NameOf(MaxId) + Compressing) > MaxNameBytes
            ? $"its names can be longer than {MaxNameBytes} bytes" : null;
    }
}
