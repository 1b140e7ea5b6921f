using System.Runtime.Versioning;
using Sluice.Copying;

namespace Sluice.Tests.Files;

/// <summary>A copy is read anew to vouch for it.</summary>
[SupportedOSPlatform("linux")]
public sealed class VerifyingTests : IDisposable
{
    private readonly TempFolder _temp = new();

    public void Dispose() => _temp.Dispose();

    /// <summary>
    /// A network file system takes .NET's locks and the one that a copy has on its temporary file for one kind: there each verified copy
    /// was refused its own file. Here somebody else's lock of .NET's stands for it.
    /// </summary>
    [SkippableFact]
    public void What_is_read_anew_is_not_locked()
    {
        Skip.IfNot(OperatingSystem.IsLinux(), "elsewhere System.IO copies");
        using FileStream source = Locked(_temp.NewFile(Bytes.Pattern(100_000)));
        using FileStream copy = Locked(_temp.NewFile(Bytes.Pattern(100_000)));
        Verify(source, copy);
        copy.Position = 99_999;
        copy.WriteByte((byte)(Bytes.Pattern(100_000)[^1] + 1));
        copy.Flush(flushToDisk: true);
        Should.Throw<IOException>(() => Verify(source, copy)).Message.ShouldContain("differs from the source");
    }

    private static FileStream Locked(string path) => new(path, FileMode.Open, FileAccess.ReadWrite, FileShare.None);

    private static void Verify(FileStream source, FileStream copy) => ContentComparer.Verify(
        (int)source.SafeFileHandle.DangerousGetHandle(), source.Name, (int)copy.SafeFileHandle.DangerousGetHandle(), copy.Name, default);
}
