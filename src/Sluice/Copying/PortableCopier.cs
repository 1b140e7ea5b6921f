namespace Sluice.Copying;

/// <summary>Copies where Linux's calls are not to be had, by .NET's own means, under a temporary name like the others.</summary>
internal static class PortableCopier
{
    public static CopyResult Copy(
        string source, string target, CopyOptions options, CopyMeter meter, CancellationToken cancellationToken)
    {
        if (options.Method is CopyMethod.Reflink or CopyMethod.Direct or CopyMethod.CopyFileRange)
        {
            throw new PlatformNotSupportedException($"Copying by {options.Method} is Linux's.");
        }

        if (!Directory.Exists(source))
        {
            CopyFile(source, target, options, meter);
            return Result(meter, 0, []);
        }

        if (!options.IsRecursive)
        {
            throw new UnauthorizedAccessException($"Copying '{source}' failed: it is a folder, and a recursive copy was not asked for.");
        }

        if (Path.GetFullPath(target).StartsWith(Path.GetFullPath(source) + Path.DirectorySeparatorChar, StringComparison.OrdinalIgnoreCase))
        {
            throw new IOException($"Copying '{source}' failed: the target '{target}' is inside it.");
        }

        List<FileFailure> failures = [];
        int folders = 1;
        _ = Directory.CreateDirectory(target);
        foreach (string path in Directory.EnumerateFileSystemEntries(source, "*", SearchOption.AllDirectories))
        {
            cancellationToken.ThrowIfCancellationRequested();
            string to = Path.Combine(target, Path.GetRelativePath(source, path));
            try
            {
                if (Directory.Exists(path))
                {
                    _ = Directory.CreateDirectory(to);
                    folders++;
                }
                else
                {
                    CopyFile(path, to, options, meter);
                }
            }
            catch (Exception e) when (e is IOException or UnauthorizedAccessException)
            {
                failures.Add(new FileFailure(path, e));
            }
        }

        return Result(meter, folders, failures);
    }

    private static CopyResult Result(CopyMeter meter, int folders, List<FileFailure> failures) => new()
    {
        Bytes = meter.Bytes,
        Files = meter.Files,
        Folders = folders,
        Method = CopyMethod.Buffered,
        MethodReason = "this operating system copies files by itself",
        Failures = failures,
    };

    private static void CopyFile(string source, string target, CopyOptions options, CopyMeter meter)
    {
        if (File.Exists(target) && !options.Overwrites)
        {
            throw new IOException($"Copying '{source}' to '{target}' failed: the target is there already.");
        }

        string temporary = $"{target}.{Guid.NewGuid():N}.sluice-tmp";
        try
        {
            File.Copy(source, temporary);
            long length = new FileInfo(temporary).Length;
            meter.Find(length);
            if (options.FlushesToDisk)
            {
                using SluiceHandle handle = SluiceHandle.Open(temporary, FileMode.Open, FileAccess.ReadWrite);
                handle.FlushToDisk();
            }

            File.Move(temporary, target, options.Overwrites);
            meter.Add(length);
            meter.EndFile();
        }
        catch
        {
            File.Delete(temporary);
            throw;
        }
    }
}
