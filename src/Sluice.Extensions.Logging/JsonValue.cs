using System.Collections;
using System.Globalization;
using System.Text.Json;

namespace Sluice.Extensions.Logging;

/// <summary>A value of an event as JSON: numbers and times as themselves, sequences as arrays, all else as its text.</summary>
internal static class JsonValue
{
    private const int MaxDepth = 4;
    private const int MaxElements = 1000;

    public static void Write(Utf8JsonWriter json, object? value, int depth)
    {
        switch (value)
        {
            case null:
                json.WriteNullValue();
                break;
            case string text:
                json.WriteStringValue(text);
                break;
            case bool flag:
                json.WriteBooleanValue(flag);
                break;
            case int number:
                json.WriteNumberValue(number);
                break;
            case long number:
                json.WriteNumberValue(number);
                break;
            case double number when double.IsFinite(number):
                json.WriteNumberValue(number);
                break;
            case float number when float.IsFinite(number):
                json.WriteNumberValue(number);
                break;
            case decimal number:
                json.WriteNumberValue(number);
                break;
            case byte or sbyte or short or ushort or uint:
                json.WriteNumberValue(Convert.ToInt64(value, CultureInfo.InvariantCulture));
                break;
            case ulong number:
                json.WriteNumberValue(number);
                break;
            case DateTime time:
                json.WriteStringValue(time);
                break;
            case DateTimeOffset time:
                json.WriteStringValue(time);
                break;
            case Guid id:
                json.WriteStringValue(id);
                break;
            case IEnumerable items and not IFormattable when depth < MaxDepth:
                WriteArray(json, items, depth + 1);
                break;
            default:
                json.WriteStringValue(TextOf(value));
                break;
        }
    }

    private static void WriteArray(Utf8JsonWriter json, IEnumerable items, int depth)
    {
        json.WriteStartArray();
        try
        {
            int count = 0;
            foreach (object? item in items)
            {
                if (count++ == MaxElements)
                {
                    json.WriteStringValue("...");
                    break;
                }

                Write(json, item, depth);
            }
        }
        catch (Exception e) when (e is not OutOfMemoryException)
        {
            json.WriteStringValue($"(threw {e.GetType().Name})");
        }

        json.WriteEndArray();
    }

    private static string TextOf(object value)
    {
        try
        {
            return value is IFormattable formattable
                ? formattable.ToString(null, CultureInfo.InvariantCulture)
                : value.ToString() ?? "";
        }
        catch (Exception e) when (e is not OutOfMemoryException)
        {
            return $"(threw {e.GetType().Name})";
        }
    }
}
