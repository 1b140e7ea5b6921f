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
    /// <param name="exists">Whether a file of that name is there; one that is made to try it is gone again.</param>
    public static void CheckWritable(string path, bool exists)
    {
        string folder = Path.GetDirectoryName(Path.GetFullPath(path)) ?? "/";
        if (!Directory.Exists(folder))
            throw new DirectoryNotFoundException($"{path}: {folder}: no such directory");
        using (new FileStream(path, exists ? FileMode.OpenOrCreate : FileMode.CreateNew, FileAccess.Write))
        {
        }
        if (!exists)
            File.Delete(path);
    }
}
