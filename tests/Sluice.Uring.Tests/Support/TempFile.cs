using System.Text;
using Microsoft.Win32.SafeHandles;

namespace Sluice.Uring.Tests.Support;

/// <summary>A file with known content in the temporary folder, open for reading and writing, deleted at the end.</summary>
internal sealed class TempFile : IDisposable
{
    public TempFile(int length = 0)
    {
        Path = NewPath();
        Content = Pattern(length);
        File.WriteAllBytes(Path, Content);
        Handle = File.OpenHandle(Path, FileMode.Open, FileAccess.ReadWrite, FileShare.ReadWrite | FileShare.Delete);
    }

    public string Path { get; }

    public byte[] Content { get; }

    public SafeFileHandle Handle { get; }

    public int Descriptor => (int)Handle.DangerousGetHandle();

    public static string NewPath() => System.IO.Path.Combine(System.IO.Path.GetTempPath(), "sluice-uring-" + Guid.NewGuid().ToString("N"));

    public static byte[] ToNativePath(string path) => Encoding.UTF8.GetBytes(path + '\0');

    /// <summary>Bytes whose period is not a power of two, so that a shifted block never looks right.</summary>
    public static byte[] Pattern(int length)
    {
        byte[] bytes = new byte[length];
        for (int i = 0; i < length; i++)
        {
            bytes[i] = (byte)(i % 251);
        }

        return bytes;
    }

    public byte[] ReadAll() => File.ReadAllBytes(Path);

    public void Dispose()
    {
        Handle.Dispose();
        File.Delete(Path);
    }
}
