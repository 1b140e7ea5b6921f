using System.Globalization;
using System.Text;

namespace Sluice.Log.Folders;

/// <summary>
/// How the files of a log are called: text, the segment's id, and the time at which the file was made. A name belongs to the log if it is
/// one that this could have given; the compressed form of it has <see cref="Compressed"/> behind it.
/// </summary>
internal sealed class SegmentNames
{
    /// <summary>Behind the name of a segment that was compressed.</summary>
    public const string Compressed = ".gz";

    /// <summary>Behind the name of a segment while it is being compressed.</summary>
    public const string Compressing = ".gz.tmp";

    /// <summary>The largest number of a segment: a listing knows no longer ones.</summary>
    public const long MaxId = 999_999_999_999_999_999;

    private const int MaxNameBytes = 255;
    private const int IdDigits = 10;
    private const int MaxIdDigits = 18;
    private const string IdToken = "id";
    private const string DateToken = "date:";
    private const string Separators = "-_.";
    private const string NotInNames = "/\\:*?\"<>|";
    private static readonly string[] Units = ["yyyy", "MM", "dd", "HH", "mm", "ss"];

    private readonly List<Part> _parts = [];
    private int _units;

    private SegmentNames()
    {
    }

    private enum Kind
    {
        Text,
        Id,
        Date,
    }

    /// <summary>0000000001.slog and so on.</summary>
    public static SegmentNames Framed { get; } = Parse("{id}.slog", isOwn: true);

    /// <summary>0000000001.log and so on.</summary>
    public static SegmentNames Raw { get; } = Parse("{id}.log");

    /// <summary>Whether names have a time in them.</summary>
    public bool HasDate => _units > 0;

    /// <summary>Reads and checks a pattern.</summary>
    /// <param name="pattern">The text.</param>
    /// <param name="isOwn">Whether it is that of framed logs, whose names no other log has.</param>
    /// <exception cref="ArgumentException">It is none; the message says why.</exception>
    public static SegmentNames Parse(string pattern, bool isOwn = false)
    {
        SegmentNames names = new();
        if (names.WhyNone(pattern, isOwn) is { } reason)
        {
            throw new ArgumentException($"'{pattern}' is no pattern of file names: {reason}.", nameof(SluiceLogOptions.FileNamePattern));
        }

        return names;
    }

    /// <summary>The name of a segment.</summary>
    /// <param name="id">Its number.</param>
    /// <param name="utc">When it is made.</param>
    /// <exception cref="IOException">Nobody who lists segments would know it: the number is too large.</exception>
    public string NameOf(long id, DateTime utc = default)
    {
        if (id > MaxId)
        {
            throw new IOException($"Making segment {id} failed: a segment's number has {MaxIdDigits} digits at most.");
        }

        StringBuilder name = new();
        foreach (Part part in _parts)
        {
            name.Append(part.Kind switch
            {
                Kind.Id => id.ToString("D10", CultureInfo.InvariantCulture),
                Kind.Date => utc.ToString(part.Text, CultureInfo.InvariantCulture),
                _ => part.Text,
            });
        }

        return name.ToString();
    }

    /// <summary>Whether a name is one of this log's segments; what stands behind it for a compressed one is taken off before.</summary>
    public bool TryParse(ReadOnlySpan<char> name, out long id, out DateTime utc)
    {
        (id, utc) = (0, default);
        foreach (Part part in _parts)
        {
            int length = part.Text.Length;
            switch (part.Kind)
            {
                case Kind.Id:
                    length = name.IndexOfAnyExceptInRange('0', '9') is var end and >= 0 ? end : name.Length;
                    if (length is < IdDigits or > MaxIdDigits
                        || (length > IdDigits && name[0] == '0')
                        || !long.TryParse(name[..length], NumberStyles.None, CultureInfo.InvariantCulture, out id))
                    {
                        return false;
                    }

                    break;
                case Kind.Date:
                    if (name.Length < length
                        || !DateTime.TryParseExact(name[..length], part.Text, CultureInfo.InvariantCulture, DateTimeStyles.None, out utc)
                        || !name[..length].SequenceEqual(utc.ToString(part.Text, CultureInfo.InvariantCulture)))
                    {
                        return false;
                    }

                    break;
                default:
                    if (!name.StartsWith(part.Text, StringComparison.Ordinal))
                    {
                        return false;
                    }

                    break;
            }

            name = name[length..];
        }

        return name.IsEmpty;
    }

    /// <summary>The first moment whose name has another time in it than that of the moment given.</summary>
    public DateTime EndOf(DateTime utc)
    {
        DateTime start = new(utc.Year, _units > 1 ? utc.Month : 1, _units > 2 ? utc.Day : 1);
        start = start.AddHours(_units > 3 ? utc.Hour : 0).AddMinutes(_units > 4 ? utc.Minute : 0).AddSeconds(_units > 5 ? utc.Second : 0);
        try
        {
            return _units switch
            {
                0 => DateTime.MaxValue,
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

    private static bool HasDigit(string text, Index at) => text.Length > 0 && char.IsAsciiDigit(text[at]);

    private static string? WhyNoName(string pattern)
    {
        if (pattern.Any(static c => char.IsControl(c) || NotInNames.Contains(c) && c != ':'))
        {
            return $"a name has no control characters and none of {NotInNames}";
        }

        string[] taken = [".gz", ".tmp", ".slog", ".state"];
        if (pattern.EndsWith('.') || pattern.EndsWith(' ') || taken.Any(e => pattern.EndsWith(e, StringComparison.OrdinalIgnoreCase)))
        {
            return $"it ends in a dot, a space, or one of {string.Join(", ", taken)}";
        }

        return pattern.EnumerateRunes().Contains(Rune.ReplacementChar) ? "it is no whole Unicode text" : null;
    }

    private string? WhyNone(string pattern, bool isOwn) =>
        pattern.Length == 0 ? "it is empty"
        : (isOwn ? null : WhyNoName(pattern)) ?? WhyNoParts(pattern) ?? WhyAmbiguous();

    private string? WhyNoParts(string pattern)
    {
        for (string rest = pattern; rest.Length > 0;)
        {
            int open = rest.IndexOfAny(['{', '}']);
            string text = open < 0 ? rest : rest[..open];
            if (text.Contains(':', StringComparison.Ordinal))
            {
                return $"a name has none of {NotInNames}";
            }

            if (text.Length > 0)
            {
                _parts.Add(new Part(Kind.Text, text));
            }

            if (open < 0)
            {
                break;
            }

            int close = rest.IndexOf('}', StringComparison.Ordinal);
            if (rest[open] == '}' || close < open)
            {
                return "a brace has no partner";
            }

            string token = rest[(open + 1)..close];
            if (token == IdToken)
            {
                _parts.Add(new Part(Kind.Id, ""));
            }
            else if (token.StartsWith(DateToken, StringComparison.Ordinal) && TryReadFormat(token[DateToken.Length..]))
            {
                _parts.Add(new Part(Kind.Date, token[DateToken.Length..]));
            }
            else
            {
                return $"{{{token}}} is neither {{id}} nor {{date:yyyyMMddHHmmss}}, which may end after each unit and have one of "
                    + $"{Separators} between units";
            }

            rest = rest[(close + 1)..];
        }

        return null;
    }

    private bool TryReadFormat(string format)
    {
        int at = 0;
        _units = 0;
        foreach (string unit in Units)
        {
            int skip = _units > 0 && at < format.Length && Separators.Contains(format[at]) ? 1 : 0;
            if (!format.AsSpan(at + skip).StartsWith(unit, StringComparison.Ordinal))
            {
                break;
            }

            at += skip + unit.Length;
            _units++;
        }

        return _units > 0 && at == format.Length;
    }

    /// <summary>Why a name could be read in more than one way, or be another log's.</summary>
    private string? WhyAmbiguous()
    {
        if (_parts.Count(static p => p.Kind == Kind.Id) != 1 || _parts.Count(static p => p.Kind == Kind.Date) > 1)
        {
            return "it needs {id} once, and may have one {date:}";
        }

        for (int i = 1; i < _parts.Count; i++)
        {
            (Part before, Part part) = (_parts[i - 1], _parts[i]);
            if ((before.Kind != Kind.Text && part.Kind != Kind.Text)
                || (before.Kind == Kind.Text && HasDigit(before.Text, ^1))
                || (part.Kind == Kind.Text && HasDigit(part.Text, 0)))
            {
                return "{id} and {date:} have no digit and not one another beside them";
            }
        }

        return Encoding.UTF8.GetByteCount(NameOf(MaxId) + Compressing) > MaxNameBytes
            ? $"its names can be longer than {MaxNameBytes} bytes" : null;
    }

    private readonly record struct Part(Kind Kind, string Text);
}
