namespace Sluice.Faults.Child.Conformance;

/// <summary>A path of a check's own; what stands there is deleted at the end.</summary>
internal sealed class ScratchFile(string path) : IDisposable
{
    public string Path => path;

    /// <summary>The file as System.IO sees it, through the page cache.</summary>
    public byte[] Content
    {
        get
        {
            using FileStream stream = new(path, FileMode.Open, FileAccess.Read, FileShare.ReadWrite);
            byte[] content = new byte[stream.Length];
            stream.ReadExactly(content);
            return content;
        }
    }

    public void Dispose() => File.Delete(path);
}
