using System.Runtime.Versioning;
using Sluice.Interop;

namespace Sluice.Copying;

/// <summary>A folder of the source and its copy, both open until the last group of their files has been copied.</summary>
[SupportedOSPlatform("linux")]
internal sealed class TreeFolder(DirectoryReader from, int toFd, string fromPath, string toPath)
{
    private int _references = 1;

    public DirectoryReader From => from;

    public int ToFd => toFd;

    public string FromPath => fromPath;

    public string ToPath => toPath;

    public void AddReference() => Interlocked.Increment(ref _references);

    public void Release()
    {
        if (Interlocked.Decrement(ref _references) == 0)
        {
            from.Release();
            PathCalls.Close(toFd);
        }
    }
}
