using System.Text.Json;

namespace Sluice.Cli.Tests.Support;

/// <summary>A folder that is gone after the test.</summary>
public sealed class TempFolder : IDisposable
{
    private const string Prefix = "sluice-cli-tests-";
    private const string MemoryFolder = "/dev/shm";

    public TempFolder()
        : this(Directory.CreateTempSubdirectory(Prefix).FullName)
    {
    }

    private TempFolder(string path) => FullPath = path;

    public string FullPath { get; }

    public string this[string name] => Path.Combine(FullPath, name);

    /// <summary>In memory where the system has such a place, else on the disk: for tests that write much and are not about disks.</summary>
    public static TempFolder InMemory() => Directory.Exists(MemoryFolder)
        ? new(Directory.CreateDirectory(Path.Combine(MemoryFolder, $"{Prefix}{Guid.NewGuid():N}")).FullName)
        : new();

    /// <summary>The content of a result.</summary>
    public JsonElement Json(string name) => JsonDocument.Parse(File.ReadAllBytes(this[name])).RootElement;

    /// <summary>Makes a file of random bytes, and the folders above it.</summary>
    public string Make(string name, int length)
    {
        Directory.CreateDirectory(Path.GetDirectoryName(this[name])!);
        byte[] content = new byte[length];
        new Random(length).NextBytes(content);
        File.WriteAllBytes(this[name], content);
        return this[name];
    }

    /// <summary>Makes a file, unless another one was quicker.</summary>
    public bool TryMake(string name, string content)
    {
        try
        {
            using var file = new StreamWriter(new FileStream(this[name], FileMode.CreateNew));
            file.Write(content);
            return true;
        }
        catch (IOException)
        {
            return false;
        }
    }

    public void Dispose() => Directory.Delete(FullPath, recursive: true);
}
