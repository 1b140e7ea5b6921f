using System.Text.Json;
using System.Text.Json.Serialization.Metadata;
using Sluice.Cli.Terminal;

namespace Sluice.Cli.Report;

/// <summary>Reads results that --json wrote, and reports files that are not results.</summary>
internal static class ResultJson
{
    // The format version of all results.
    private const int FormatVersion = 1;

    /// <exception cref="IOException">The file does not exist, or is a folder.</exception>
    /// <exception cref="UnauthorizedAccessException">The user may not read the file.</exception>
    /// <exception cref="UsageException">The file is not JSON.</exception>
    public static JsonDocument Parse(string path)
    {
        PathArgument.RequireFile(path);
        byte[] json = File.ReadAllBytes(path);
        if (json.Length == 0)
            throw new UsageException($"{path} is not a result of sluice: it is empty");
        try
        {
            return JsonDocument.Parse(json);
        }
        catch (JsonException e)
        {
            string place = e.LineNumber is { } line ? $", from line {line + 1} on" : "";
            throw new UsageException($"{path} is not a result of sluice: it is not valid JSON{place}");
        }
    }

    /// <param name="path">The path of the file, for error messages.</param>
    /// <param name="root">The content of the file.</param>
    /// <param name="type">The type of the result.</param>
    /// <param name="command">The command that writes such results, as in "sluice copy".</param>
    /// <exception cref="UsageException">The content lacks a property, has an invalid value or has another format version.</exception>
    public static T Read<T>(string path, JsonElement root, JsonTypeInfo<T> type, string command)
        where T : class
    {
        T? result;
        try
        {
            if (root.ValueKind == JsonValueKind.Object && root.TryGetProperty("formatVersion", out JsonElement version)
                && version.GetInt32() != FormatVersion)
            {
                throw new UsageException(
                    $"{path} is not a result of this sluice: its format is {version}, and {FormatVersion} is known");
            }
            result = root.Deserialize(type);
        }
#pragma warning disable CA1031 // Any exception means that sluice did not write the file in this form.
        catch (Exception e) when (e is not UsageException)
#pragma warning restore CA1031
        {
            string what = e is JsonException { Path: ['$', '.', .. string place] } ? $"its {place} is not as sluice writes it"
                : "a value is missing or invalid";
            throw new UsageException($"{path} is not a result of {command}: {what}");
        }
        return result ?? throw new UsageException($"{path} is not a result of {command}: it is null");
    }
}
