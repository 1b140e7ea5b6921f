using System.Collections;
using System.Globalization;
using System.Text.Json;

namespace Sluice.Extensions.Logging;

/// <summary>A value of an event as JSON: numbers and times as themselves, sequences as arrays, all else as its text.</summary>
internal static class JsonValue
{
    private const int MaxDepth = 4;

    /// <summary>Of a value together, those of sequences within it too: whoever names one sequence often makes no event without an end.</summary>
    private const int MaxElements = 1000;

    public static void Write(Utf8JsonWriter json, object? value)
    {
        int left = MaxElements;
        Write(json, value, 0, ref left);
    }

    private static void Write(Utf8JsonWriter json, object? value, int depth, ref int left)
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
                WriteArray(json, items, depth + 1, ref left);
                break;
            default:
                json.WriteStringValue(TextOf(value));
                break;
        }
    }

    private static void WriteArray(Utf8JsonWriter json, IEnumerable items, int depth, ref int left)
    {
        json.WriteStartArray();
        try
        {
            foreach (object? item in items)
            {
                if (left == 0)
                {
                    json.WriteStringValue("...");
                    break;
                }

                left--;
                Write(json, item, depth, ref left);
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
