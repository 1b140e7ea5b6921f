using System.Text.Json;
using System.Text.Json.Serialization.Metadata;

namespace Sluice.Cli.Report;

internal static class JsonFile
{
    public static void Write<T>(TextWriter writer, T value, JsonTypeInfo<T> type)
    {
        writer.Write(JsonSerializer.Serialize(value, type));
        writer.Write('\n');
    }

    /// <summary>A result that cannot be kept is worth knowing before minutes of measuring, not after.</summary>
    public static void CheckWritable(string path)
    {
        string folder = Path.GetDirectoryName(Path.GetFullPath(path)) ?? "/";
        if (!Directory.Exists(folder))
            throw new DirectoryNotFoundException($"{path}: {folder}: no such directory");
        bool existed = File.Exists(path);
        using (new FileStream(path, FileMode.OpenOrCreate, FileAccess.Write))
        {
        }
        if (!existed)
            File.Delete(path);
    }
}
