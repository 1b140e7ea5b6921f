using System.Buffers;
using System.Text.Encodings.Web;
using System.Text.Json;
using Microsoft.Extensions.Logging;

namespace Sluice.Extensions.Logging;

/// <summary>Writes an event as JSON into a reusable buffer. Each thread has one instance; a nested event uses another one.</summary>
#pragma warning disable CA1001 // A JSON writer over memory of its own holds nothing that must be given back.
internal sealed class EventWriter
#pragma warning restore CA1001
{
    private const int MaxKeptBytes = 256 * 1024;
    private const string TemplateName = "{OriginalFormat}";
    private const int MaxKeptValues = 1024;
    private const string ContextName = "SourceContext";
    private const string EventName = "EventName";

    /// <summary>The smallest size of a property apart from its name: quotes, colon, comma and one byte of the value.</summary>
    private const int MinBytesOfValue = 5;

    private static readonly JsonWriterOptions Options = new()
    {
        // The output is not embedded in HTML, so only line endings and control characters need to be escaped.
        Encoder = JavaScriptEncoder.UnsafeRelaxedJsonEscaping,
        SkipValidation = true,
    };

    /// <summary>The instance of this thread, so that no lock is needed.</summary>
    [ThreadStatic]
    private static EventWriter? t_cached;

    private readonly ArrayBufferWriter<byte> _bytes = new(1024);
    private readonly Utf8JsonWriter _json;
    private readonly List<object?> _plainScopes = [];

    /// <summary>The values of the event and its scopes, in the order in which they were added.</summary>
    private readonly List<(string Name, object? Value)> _values = [];

    /// <summary>The index in <see cref="_values"/> of the last value with a name. Only this value is written.</summary>
    private readonly Dictionary<string, int> _last = new(StringComparer.Ordinal);
    private int _roomForNames;
    private string? _template;
    private EventFormat? _format;
    private EventHead _head;
    private DateTimeOffset _time;

    private EventWriter() => _json = new Utf8JsonWriter(_bytes, Options);

    /// <summary>Gets the written event. It is valid until the next use.</summary>
    public ReadOnlySpan<byte> Record => _bytes.WrittenSpan;

    private int Room => JsonValue.RoomIn(_json, _format!.MaxEventBytes);

    public static EventWriter Rent()
    {
        EventWriter writer = t_cached ?? new EventWriter();
        t_cached = null;
        return writer;
    }

    public void Return()
    {
        (_head, _format) = (default, null);
        ForgetValues();
        if (_bytes.Capacity <= MaxKeptBytes)
        {
            t_cached = this;
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

    /// <summary>Writes the event without its values, with a shortened message, and without names for which there is no room.</summary>
    public ReadOnlySpan<byte> Shorten(int maxBytes)
    {
        int whole = _bytes.WrittenCount;

        // An escaped character takes at most 6 bytes.
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

    /// <summary>Shortens a text to the room that is left in the event.</summary>
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

    /// <summary>Adds the values of a scope. A scope that has only a template is added as text.</summary>
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

    /// <summary>Adds values by index, which avoids the allocation of an enumerator.</summary>
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
        // Names that begin with @ are reserved by the format.
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
