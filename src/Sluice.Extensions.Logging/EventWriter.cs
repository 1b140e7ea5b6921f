using System.Buffers;
using System.Text.Encodings.Web;
using System.Text.Json;
using Microsoft.Extensions.Logging;

namespace Sluice.Extensions.Logging;

/// <summary>An event as JSON in memory that is used again: a thread keeps one, and an event within an event takes another.</summary>
#pragma warning disable CA1001 // A JSON writer over memory of its own holds nothing that must be given back.
internal sealed class EventWriter
#pragma warning restore CA1001
{
    private const int MaxKeptBytes = 256 * 1024;
    private const string TemplateName = "{OriginalFormat}";
    private const int MaxKeptValues = 1024;
    private const string ContextName = "SourceContext";
    private const string EventName = "EventName";

    /// <summary>Quotes, colon, comma and one byte of the value.</summary>
    private const int MinBytesOfValue = 5;

    private static readonly JsonWriterOptions Options = new()
    {
        // A log is no web page: text stays as it can be read. Line ends and control characters are escaped all the same.
        Encoder = JavaScriptEncoder.UnsafeRelaxedJsonEscaping,
        SkipValidation = true,
    };

    /// <summary>This thread's alone: an event is written on the thread that logs, without a lock.</summary>
    [ThreadStatic]
    private static EventWriter? t_kept;

    private readonly ArrayBufferWriter<byte> _bytes = new(1024);
    private readonly Utf8JsonWriter _json;
    private readonly List<object?> _plainScopes = [];

    /// <summary>The values of the event and its scopes, and the index of the last one of each name.</summary>
    private readonly List<(string Name, object? Value)> _values = [];
    private readonly Dictionary<string, int> _last = new(StringComparer.Ordinal);
    private int _roomForNames;
    private string? _template;
    private EventFormat? _format;
    private EventHead _head;
    private DateTimeOffset _time;

    private EventWriter() => _json = new Utf8JsonWriter(_bytes, Options);

    /// <summary>What was written; until the next use.</summary>
    public ReadOnlySpan<byte> Record => _bytes.WrittenSpan;

    private int Room => JsonValue.RoomIn(_json, _format!.MaxEventBytes);

    public static EventWriter Rent()
    {
        EventWriter writer = t_kept ?? new EventWriter();
        t_kept = null;
        return writer;
    }

    public void Return()
    {
        (_head, _format) = (default, null);
        ForgetValues();
        if (_bytes.Capacity <= MaxKeptBytes)
        {
            t_kept = this;
        }
    }

    public void Write<TState>(EventFormat format, in EventHead head, TState state, IExternalScopeProvider scopes)
    {
        (_format, _head, _time) = (format, head, format.Clock.GetUtcNow());
        Begin();
        _json.WriteString("@m"u8, Fit(head.Message));
        if (head.Exception is not null)
        {
            _json.WriteString("@x"u8, Fit(TextOf(head.Exception)));
        }

        _roomForNames = Room;
        if (format.IncludesScopes)
        {
            scopes.ForEachScope(static (scope, writer) => writer.AddScope(scope), this);
            if (_plainScopes.Count > 0)
            {
                Add("Scope", _plainScopes.Count == 1 ? _plainScopes[0] : _plainScopes);
            }
        }

        if (state is IReadOnlyList<KeyValuePair<string, object?>> values)
        {
            AddValues(values);
        }
        else if (state is IEnumerable<KeyValuePair<string, object?>> others)
        {
            AddValues(others);
        }

        WriteValues();
        End();
    }

    /// <summary>
    /// The event without its values, and its message cut, and names that leave it no room, so that it fits where a thousand bytes do:
    /// better than none.
    /// </summary>
    public ReadOnlySpan<byte> Shorten(int maxBytes)
    {
        int whole = _bytes.WrittenCount;

        // A character has no more than 6 bytes, escaped.
        int room = Math.Max(0, (maxBytes - 512) / 6);
        string category = Cut(_head.Category, room / 2);
        room -= category.Length;
        string? name = _head.Id.Name is { } all ? Cut(all, room / 2) : null;
        room -= name?.Length ?? 0;
        _head = _head with { Category = category, Id = new EventId(_head.Id.Id, name) };
        Begin();
        _json.WriteString("@m"u8, Cut(_head.Message, room));
        _json.WriteNumber("CutFromBytes"u8, whole);
        End();
        return Record;
    }

    private static string Cut(string? text, int length) => text is null ? "" : text.Length <= length ? text : text[..length];

    /// <summary>As much of a text as the event has room for.</summary>
    private string Fit(string? text) => Cut(text, Room);

    private void Begin()
    {
        _bytes.ResetWrittenCount();
        _json.Reset();
        _json.WriteStartObject();
        _json.WriteString("@t"u8, _time.UtcDateTime);
        if (_head.Level != LogLevel.Information)
        {
            _json.WriteString("@l"u8, _head.Level.ToString());
        }

        if (_head.Id.Id != 0)
        {
            _json.WriteNumber("@i"u8, _head.Id.Id);
        }

        if (_head.Id.Name is { } name)
        {
            _json.WriteString("EventName"u8, Fit(name));
        }

        _json.WriteString("SourceContext"u8, Fit(_head.Category));
    }

    private void End()
    {
        _json.WriteEndObject();
        _json.Flush();
        if (_format!.EndsLines)
        {
            _bytes.Write("\n"u8);
        }
    }

    /// <summary>Adds the values of a scope. A scope that has only a template is a text.</summary>
    private void AddScope(object? scope)
    {
        if (scope is not IEnumerable<KeyValuePair<string, object?>> values)
        {
            _plainScopes.Add(scope);
            return;
        }

        try
        {
            bool hasValues = false;
            object? template = null;
            foreach ((string name, object? value) in values)
            {
                if (_roomForNames <= 0)
                {
                    return;
                }

                if (name == TemplateName)
                {
                    template = value;
                    continue;
                }

                hasValues = true;
                Add(name, value);
            }

            if (!hasValues && template is not null)
            {
                _plainScopes.Add(template);
            }
        }
        catch (Exception e) when (e is not OutOfMemoryException)
        {
            Add("@error", e.GetType().Name);
        }
    }

    /// <summary>Adds values by index, so that the usual event makes no enumerator.</summary>
    private void AddValues(IReadOnlyList<KeyValuePair<string, object?>> values)
    {
        try
        {
            for (int i = 0; i < values.Count && _roomForNames > 0; i++)
            {
                KeyValuePair<string, object?> value = values[i];
                AddValue(value.Key, value.Value);
            }
        }
        catch (Exception e) when (e is not OutOfMemoryException)
        {
            Add("@error", e.GetType().Name);
        }
    }

    private void AddValues(IEnumerable<KeyValuePair<string, object?>> values)
    {
        try
        {
            foreach (KeyValuePair<string, object?> value in values)
            {
                if (_roomForNames <= 0)
                {
                    return;
                }

                AddValue(value.Key, value.Value);
            }
        }
        catch (Exception e) when (e is not OutOfMemoryException)
        {
            Add("@error", e.GetType().Name);
        }
    }

    private void AddValue(string name, object? value)
    {
        if (name == TemplateName)
        {
            _template = _format!.IncludesTemplate && value is string template && template != _head.Message ? template : null;
            return;
        }

        Add(name, value);
    }

    /// <summary>Adds a value that replaces earlier values of its name: a JSON object has each name once.</summary>
    private void Add(string name, object? value)
    {
        // Names that begin with @ are the format's own.
        name = name.StartsWith('@') ? "@" + name : name;
        _roomForNames -= name.Length + MinBytesOfValue;
        if (name != ContextName && (name != EventName || _head.Id.Name is null))
        {
            _last[name] = _values.Count;
            _values.Add((name, value));
        }
    }

    private void WriteValues()
    {
        if (_template is not null)
        {
            _json.WriteString("@mt"u8, Fit(_template));
        }

        for (int i = 0; i < _values.Count && Room > 0; i++)
        {
            (string name, object? value) = _values[i];
            if (_last[name] == i)
            {
                _json.WritePropertyName(Fit(name));
                JsonValue.Write(_json, value, _format!.MaxEventBytes);
            }
        }
    }

    private void ForgetValues()
    {
        _plainScopes.Clear();
        _values.Clear();
        _last.Clear();
        _template = null;
        if (_values.Capacity > MaxKeptValues)
        {
            _values.Capacity = 0;
            _last.TrimExcess();
        }
    }

    private static string TextOf(Exception exception)
    {
        try
        {
            return exception.ToString();
        }
        catch (Exception e) when (e is not OutOfMemoryException)
        {
            return $"{exception.GetType()} (its text threw {e.GetType().Name})";
        }
    }
}
