using System.Text.Json;
using System.Text.Json.Serialization.Metadata;

namespace Sluice.Cli.Report;

internal static class JsonFile
{
    public static void Write<T>(string path, T value, JsonTypeInfo<T> type)
    {
        using FileStream stream = File.Create(path);
        JsonSerializer.Serialize(stream, value, type);
        stream.WriteByte((byte)'\n');
    }

    /// <summary>A result that cannot be kept is worth knowing before minutes of measuring, not after.</summary>
    public static void CheckWritable(string path)
    {
        bool existed = File.Exists(path);
        using (new FileStream(path, FileMode.OpenOrCreate, FileAccess.Write))
        {
        }
        if (!existed)
            File.Delete(path);
    }
}
