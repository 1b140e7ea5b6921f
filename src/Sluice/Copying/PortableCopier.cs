using System.Security.Cryptography;

namespace Sluice.Copying;

/// <summary>
/// Copies with the methods of .NET, for operating systems other than Linux: each file under a temporary name, and links as links. Options
/// that need system calls of Linux are refused.
/// </summary>
internal sealed class PortableCopier(CopyOptions options, CopyMeter meter, CancellationToken cancellationToken)
{
    private int _folders;

    /// <exception cref="PlatformNotSupportedException">An option is supported only on Linux.</exception>
    public static CopyResult Copy(
        string source, string target, CopyOptions options, CopyMeter meter, CancellationToken cancellationToken)
    {
        Refuse(options.Method is CopyMethod.Reflink or CopyMethod.Direct or CopyMethod.CopyFileRange, $"Copying by {options.Method}");
        Refuse(options.Resume, "Going on from an earlier copy (Resume)");
        Refuse(options.SkipUnchanged, "Skipping what is unchanged (SkipUnchanged)");
        Refuse(options.Shard is not null, "Copying in shards (Shard)");
        Refuse(options.Exclude is not null, "Leaving parts of a tree out (Exclude)");
        Refuse(options.PreserveMetadata, "Keeping all metadata (PreserveMetadata)");
        PortableCopier copier = new(options, meter, cancellationToken);
        if (!Directory.Exists(source))
        {
            copier.CopyFile(source, target);
        }
        else if (!options.Recurse)
        {
            throw new UnauthorizedAccessException($"Copying '{source}' failed: it is a folder, and a recursive copy was not requested.");
        }
        else
        {
            copier.CopyTree(new DirectoryInfo(source), Path.TrimEndingDirectorySeparator(target));
        }

        return copier.Result();
    }

    private CopyResult Result() => new()
    {
        Bytes = meter.Bytes,
        Files = meter.Files,
        Folders = _folders,
        Method = CopyMethod.Buffered,
        MethodReason = "this operating system copies files by itself",
    };

    private static void Refuse(bool isAsked, string what)
    {
        if (isAsked)
        {
            throw new PlatformNotSupportedException($"{what} is supported on Linux only.");
        }
    }

    /// <summary>Returns a new name beside the target. It does not contain the target's name, which may be too long for a suffix.</summary>
    public static string TemporaryFor(string target) => Path.Combine(Path.GetDirectoryName(target)!, $".{Guid.NewGuid():N}.sluice-tmp");

    /// <summary>
    /// Flushes a file, also one that is read-only because its source is. Except on Windows, a descriptor for reading is sufficient.
    /// </summary>
    private static void Flush(string path)
    {
        FileAttributes attributes = OperatingSystem.IsWindows() ? File.GetAttributes(path) : default;
        bool isReadOnly = (attributes & FileAttributes.ReadOnly) != 0;
        if (isReadOnly)
        {
            File.SetAttributes(path, attributes & ~FileAttributes.ReadOnly);
        }

        FileAccess access = OperatingSystem.IsWindows() ? FileAccess.ReadWrite : FileAccess.Read;
        using (SluiceHandle handle = SluiceHandle.Open(path, FileMode.Open, access))
        {
            handle.FlushToDisk();
        }

        if (isReadOnly)
        {
            File.SetAttributes(path, attributes);
        }
    }

    /// <summary>Removes an incomplete copy. An error is ignored, because the error of the copy is reported.</summary>
    private static void Discard(string path)
    {
        try
        {
            if (OperatingSystem.IsWindows() && File.Exists(path))
            {
                File.SetAttributes(path, FileAttributes.Normal);
            }

            File.Delete(path);
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
        }
    }

    /// <summary>
    /// Renames a new link over the existing entry, or removes it if that fails. .NET moves a link to a directory as a directory, which
    /// cannot replace anything, so the existing entry is deleted first.
    /// </summary>
    private static void ReplaceByLink(string made, string target)
    {
        try
        {
            if (File.Exists(made))
            {
                File.Move(made, target, overwrite: true);
            }
            else
            {
                File.Delete(target);
                Directory.Move(made, target);
            }
        }
        catch
        {
            Discard(made);
            throw;
        }
    }

    private static byte[] HashOf(string path)
    {
        using FileStream stream = File.OpenRead(path);
        return SHA256.HashData(stream);
    }

    private void CopyTree(DirectoryInfo source, string target)
    {
        string root = Path.TrimEndingDirectorySeparator(source.FullName) + Path.DirectorySeparatorChar;
        if ((Path.GetFullPath(target) + Path.DirectorySeparatorChar).StartsWith(root, StringComparison.OrdinalIgnoreCase))
        {
            throw new IOException($"Copying '{source}' failed: the target '{target}' is inside it.");
        }

        if (source.LinkTarget is not null)
        {
            CopyLink(source, target);
            return;
        }

        using CancellationTokenSource stop = new();
        CopyFailures failures = meter.Failures = new(options.ContinueOnError, meter, stop, Result);
        CopyFolders(source, target, failures);
        failures.ThrowIfAny();
    }

    private void CopyFolders(DirectoryInfo source, string target, CopyFailures failures)
    {
        Stack<(DirectoryInfo From, string To)> due = new([(source, target)]);
        while (!failures.HasEnded && due.TryPop(out (DirectoryInfo From, string To) folder))
        {
            try
            {
                CopyFolder(folder.From, folder.To, due, failures);
            }
            catch (Exception e) when (e is IOException or UnauthorizedAccessException && folder.From != source)
            {
                // An error of the root is not caught here, and ends the copy.
                failures.Add(folder.From.FullName, e);
            }
        }
    }

    /// <summary>Copies the content of a directory, and adds its subdirectories to <paramref name="due"/>.</summary>
    private void CopyFolder(DirectoryInfo from, string target, Stack<(DirectoryInfo From, string To)> due, CopyFailures failures)
    {
        _ = Directory.CreateDirectory(target);
        _folders++;
        foreach (FileSystemInfo entry in from.EnumerateFileSystemInfos())
        {
            cancellationToken.ThrowIfCancellationRequested();
            string to = Path.Combine(target, entry.Name);
            try
            {
                if (entry.LinkTarget is not null)
                {
                    CopyLink(entry, to);
                }
                else if (entry is DirectoryInfo below)
                {
                    due.Push((below, to));
                }
                else
                {
                    failures.Count(CopyFile(entry.FullName, to));
                }
            }
            catch (Exception e) when (e is IOException or UnauthorizedAccessException)
            {
                failures.Add(entry.FullName, e);
                if (failures.HasEnded)
                {
                    return;
                }
            }
        }
    }

    private void CopyLink(FileSystemInfo link, string target)
    {
        // The existing entry is removed only after a link was created: file systems, and users on Windows, may not support links.
        bool replaces = options.Overwrite && (File.Exists(target) || new FileInfo(target).LinkTarget is not null);
        string made = replaces ? TemporaryFor(target) : target;
        _ = link is DirectoryInfo
            ? Directory.CreateSymbolicLink(made, link.LinkTarget!)
            : File.CreateSymbolicLink(made, link.LinkTarget!);
        if (replaces)
        {
            ReplaceByLink(made, target);
        }

        meter.AddFile(0);
        meter.EndFile();
    }

    /// <summary>Copies a file and returns the number of bytes.</summary>
    private long CopyFile(string source, string target)
    {
        if (!options.Overwrite && File.Exists(target))
        {
            throw new IOException($"Copying '{source}' to '{target}' failed: the target is there already.");
        }

        string temporary = TemporaryFor(target);
        try
        {
            CopyContent(source, temporary);
            long length = new FileInfo(temporary).Length;
            meter.AddFile(length);
            if (options.FlushToDisk || options.Verify)
            {
                Flush(temporary);
            }

            if (options.Verify && !HashOf(source).AsSpan().SequenceEqual(HashOf(temporary)))
            {
                throw new IOException($"Copying '{source}' to '{target}' failed: the copy differs from the source (SHA-256).");
            }

            meter.AddMoved(length, cancellationToken);
            cancellationToken.ThrowIfCancellationRequested();
            File.Move(temporary, target, options.Overwrite);
            meter.EndFile();
            return length;
        }
        catch
        {
            Discard(temporary);
            throw;
        }
    }

    private void CopyContent(string source, string temporary)
    {
        if (OperatingSystem.IsWindows() || options.UnixCreateMode is not { } mode)
        {
            File.Copy(source, temporary);
            return;
        }

        using FileStream from = File.OpenRead(source);
        FileStreamOptions make = new() { Mode = FileMode.CreateNew, Access = FileAccess.Write, UnixCreateMode = mode };
        using FileStream to = new(temporary, make);
        from.CopyTo(to);
    }
}
