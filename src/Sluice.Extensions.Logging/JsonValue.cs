using System.Collections;
using System.Globalization;
using System.Text.Json;

namespace Sluice.Extensions.Logging;

/// <summary>Writes a value as JSON: numbers and times as such, sequences as arrays, and all other values as text.</summary>
internal static class JsonValue
{
    private const int MaxDepth = 4;

    /// <summary>The maximum number of elements of a value, including those of nested sequences. It bounds cyclic sequences.</summary>
    private const int MaxElements = 1000;

    /// <param name="json">The writer.</param>
    /// <param name="value">The value.</param>
    /// <param name="maxBytes">The maximum size of the event; see <see cref="RoomIn"/>.</param>
    public static void Write(Utf8JsonWriter json, object? value, int maxBytes)
    {
        int left = MaxElements;
        Write(json, value, maxBytes, 0, ref left);
    }

    /// <summary>
    /// Returns the number of bytes that are left. A text with more characters does not fit, because a character takes at least one byte.
    /// </summary>
    public static int RoomIn(Utf8JsonWriter json, int maxBytes) => (int)Math.Max(0, maxBytes - json.BytesCommitted - json.BytesPending);

    private static void Write(Utf8JsonWriter json, object? value, int maxBytes, int depth, ref int left)
    {
        switch (value)
        {
            case null:
                json.WriteNullValue();
                break;
            case string text:
                json.WriteStringValue(Cut(text, RoomIn(json, maxBytes)));
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
                WriteArray(json, items, maxBytes, depth + 1, ref left);
                break;
            default:
                json.WriteStringValue(Cut(TextOf(value), RoomIn(json, maxBytes)));
                break;
        }
    }

    private static void WriteArray(Utf8JsonWriter json, IEnumerable items, int maxBytes, int depth, ref int left)
    {
        json.WriteStartArray();
        try
        {
            foreach (object? item in items)
            {
                if (left == 0 || RoomIn(json, maxBytes) == 0)
                {
                    json.WriteStringValue("...");
                    break;
                }

                left--;
                Write(json, item, maxBytes, depth, ref left);
            }
        }
        catch (Exception e) when (e is not OutOfMemoryException)
        {
            json.WriteStringValue($"(threw {e.GetType().Name})");
        }

        json.WriteEndArray();
    }

    private static ReadOnlySpan<char> Cut(string text, int chars) => text.AsSpan(0, Math.Min(text.Length, chars));

    private static string TextOf(object value)
    {
        try
        {
            string? text = value is IFormattable formattable
                ? formattable.ToString(null, CultureInfo.InvariantCulture)
                : value.ToString();
            return text ?? "";
        }
        catch (Exception e) when (e is not OutOfMemoryException)
        {
            return $"(threw {e.GetType().Name})";
        }
    }
}
