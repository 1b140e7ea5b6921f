using System.Runtime.Versioning;
using Sluice.Interop;

namespace Sluice.Copying;

/// <summary>One call of <see cref="SluiceFile.CopyAsync"/>: a file or a tree, on Linux or elsewhere. Blocks its thread.</summary>
internal static class CopyWork
{
    private const int MostShortBytes = 1 << 20;

    /// <summary>Whether the source is one small file.</summary>
    public static bool IsShort(string source)
    {
        FileInfo file = new(source);
        return file.Exists && file.Length <= MostShortBytes;
    }

    public static CopyResult Run(string source, string target, CopyOptions options, CancellationToken cancellationToken)
    {
        CopyMeter meter = new(options.Progress);
        CopyResult result = OperatingSystem.IsLinux() && Libc.IsSupported
            ? RunOnLinux(source, target, options, meter, cancellationToken)
            : PortableCopier.Copy(source, target, options, meter, cancellationToken);
        meter.Tell();
        return result;
    }

    [SupportedOSPlatform("linux")]
    private static CopyResult RunOnLinux(
        string source, string target, CopyOptions options, CopyMeter meter, CancellationToken cancellationToken)
    {
        if (options.IsRecursive && (Directory.Exists(source) || new FileInfo(source).LinkTarget is not null))
        {
            return TreeCopier.Copy(source, Path.TrimEndingDirectorySeparator(target), options, meter, cancellationToken);
        }

        if (Path.EndsInDirectorySeparator(target) && !Directory.Exists(target))
        {
            throw new DirectoryNotFoundException($"Copying '{source}' to '{target}' failed: there is no such folder.");
        }

        // A link at the target stays, and what it leads to is replaced.
        target = new FileInfo(target).LinkTarget is null ? target : File.ResolveLinkTarget(target, returnFinalTarget: true)!.FullName;
        return new FileCopier(options, meter, cancellationToken).Copy(NodePath.Of(source), NodePath.Of(target));
    }
}
