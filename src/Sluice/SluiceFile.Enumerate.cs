using System.Runtime.CompilerServices;
using Sluice.Enumeration;
using Sluice.Interop;

namespace Sluice;

/// <summary>Enumeration of files.</summary>
/// <remarks>
/// The files are those of <see cref="Directory.EnumerateFiles(string, string, EnumerationOptions)"/> under the same options, with the
/// same paths and exceptions, in any order: folders are read on several threads. Attributes other than hidden and system in
/// <see cref="EnumerationOptions.AttributesToSkip"/>, and other systems than Linux, are left to .NET's own enumeration.
/// </remarks>
public static partial class SluiceFile
{
    /// <summary>What <see cref="Directory"/> uses where no options are given.</summary>
    private static readonly EnumerationOptions CompatibleOptions = new()
    {
        MatchType = MatchType.Win32,
        AttributesToSkip = 0,
        IgnoreInaccessible = false,
    };

    /// <inheritdoc cref="Directory.EnumerateFiles(string)"/>
    public static IEnumerable<string> EnumerateFiles(string path) => EnumerateFiles(path, "*", CompatibleOptions);

    /// <inheritdoc cref="Directory.EnumerateFiles(string, string)"/>
    public static IEnumerable<string> EnumerateFiles(string path, string searchPattern) =>
        EnumerateFiles(path, searchPattern, CompatibleOptions);

    /// <inheritdoc cref="Directory.EnumerateFiles(string, string, SearchOption)"/>
    public static IEnumerable<string> EnumerateFiles(string path, string searchPattern, SearchOption searchOption) =>
        EnumerateFiles(path, searchPattern, searchOption switch
        {
            SearchOption.TopDirectoryOnly => CompatibleOptions,
            SearchOption.AllDirectories => new EnumerationOptions
            {
                MatchType = MatchType.Win32,
                AttributesToSkip = 0,
                IgnoreInaccessible = false,
                RecurseSubdirectories = true,
            },
            _ => throw new ArgumentOutOfRangeException(nameof(searchOption)),
        });

    /// <summary>As <see cref="EnumerateFiles(string, string, EnumerationOptions)"/>, for every name.</summary>
    /// <param name="path">The folder.</param>
    /// <param name="enumerationOptions">How.</param>
    public static IEnumerable<string> EnumerateFiles(string path, EnumerationOptions enumerationOptions) =>
        EnumerateFiles(path, "*", enumerationOptions);

    /// <inheritdoc cref="Directory.EnumerateFiles(string, string, EnumerationOptions)"/>
    public static IEnumerable<string> EnumerateFiles(string path, string searchPattern, EnumerationOptions enumerationOptions)
    {
        FolderWalk? walk = StartWalk(path, searchPattern, enumerationOptions, wantsDetails: false, CancellationToken.None);
        return walk is null
            ? Directory.EnumerateFiles(path, searchPattern, enumerationOptions)
            : new Restartable<string>(
                walk,
                () => StartWalk(path, searchPattern, enumerationOptions, wantsDetails: false, CancellationToken.None),
                static chunk => chunk.Paths);
    }

    /// <summary>As <see cref="EnumerateFiles(string, string, EnumerationOptions)"/>, with sizes and times.</summary>
    /// <param name="path">The folder.</param>
    /// <param name="searchPattern">Which names.</param>
    /// <param name="enumerationOptions">How; null for what <see cref="Directory"/> uses without options.</param>
    public static IEnumerable<FileEntry> EnumerateFileEntries(
        string path, string searchPattern = "*", EnumerationOptions? enumerationOptions = null)
    {
        enumerationOptions ??= CompatibleOptions;
        FolderWalk? walk = StartWalk(path, searchPattern, enumerationOptions, wantsDetails: true, CancellationToken.None);
        return walk is null
            ? Directory.EnumerateFiles(path, searchPattern, enumerationOptions).Select(Describe)
            : new Restartable<FileEntry>(
                walk,
                () => StartWalk(path, searchPattern, enumerationOptions, wantsDetails: true, CancellationToken.None),
                static chunk => chunk.Details!);
    }

    /// <summary>As <see cref="EnumerateFiles(string, string, EnumerationOptions)"/>; nothing is opened before the enumeration begins.</summary>
    /// <param name="path">The folder.</param>
    /// <param name="searchPattern">Which names.</param>
    /// <param name="enumerationOptions">How; null for what <see cref="Directory"/> uses without options.</param>
    /// <param name="cancellationToken">Ends the enumeration.</param>
    public static async IAsyncEnumerable<string> EnumerateFilesAsync(
        string path, string searchPattern = "*", EnumerationOptions? enumerationOptions = null,
        [EnumeratorCancellation] CancellationToken cancellationToken = default)
    {
        enumerationOptions ??= CompatibleOptions;
        using FolderWalk? walk = StartWalk(path, searchPattern, enumerationOptions, wantsDetails: false, cancellationToken);
        if (walk is null)
        {
            foreach (string file in Directory.EnumerateFiles(path, searchPattern, enumerationOptions))
            {
                cancellationToken.ThrowIfCancellationRequested();
                yield return file;
            }

            yield break;
        }

        await foreach (EntryChunk chunk in ChunksAsync(walk, cancellationToken).ConfigureAwait(false))
        {
            foreach (string file in chunk.Paths)
            {
                yield return file;
            }
        }
    }

    /// <summary>As <see cref="EnumerateFilesAsync"/>, with sizes and times.</summary>
    /// <inheritdoc cref="EnumerateFilesAsync"/>
    public static async IAsyncEnumerable<FileEntry> EnumerateFileEntriesAsync(
        string path, string searchPattern = "*", EnumerationOptions? enumerationOptions = null,
        [EnumeratorCancellation] CancellationToken cancellationToken = default)
    {
        enumerationOptions ??= CompatibleOptions;
        using FolderWalk? walk = StartWalk(path, searchPattern, enumerationOptions, wantsDetails: true, cancellationToken);
        if (walk is null)
        {
            foreach (string file in Directory.EnumerateFiles(path, searchPattern, enumerationOptions))
            {
                cancellationToken.ThrowIfCancellationRequested();
                yield return Describe(file);
            }

            yield break;
        }

        await foreach (EntryChunk chunk in ChunksAsync(walk, cancellationToken).ConfigureAwait(false))
        {
            foreach (FileEntry entry in chunk.Details!)
            {
                yield return entry;
            }
        }
    }

    private static async IAsyncEnumerable<EntryChunk> ChunksAsync(
        FolderWalk walk, [EnumeratorCancellation] CancellationToken cancellationToken)
    {
        foreach (EntryChunk chunk in walk.FirstChunks)
        {
            cancellationToken.ThrowIfCancellationRequested();
            yield return chunk;
        }

        await foreach (EntryChunk chunk in walk.Chunks.ReadAllAsync(cancellationToken).ConfigureAwait(false))
        {
            yield return chunk;
        }
    }

    /// <summary>Null where .NET's own enumeration is to be used: it then gives the result, or the exception.</summary>
    private static FolderWalk? StartWalk(
        string path, string searchPattern, EnumerationOptions options, bool wantsDetails, CancellationToken cancellationToken)
    {
        const FileAttributes known = FileAttributes.Hidden | FileAttributes.System;
        if (!Libc.IsSupported || string.IsNullOrEmpty(path) || searchPattern is null || options is null
            || (options.AttributesToSkip & ~known) != 0
            || path.Contains('\0', StringComparison.Ordinal) || searchPattern.Contains('\0', StringComparison.Ordinal)
            || Path.IsPathRooted(searchPattern))
        {
            return null;
        }

        // As in .NET, a folder in the pattern belongs to the path.
        ReadOnlySpan<char> below = Path.GetDirectoryName(searchPattern.AsSpan());
        if (!below.IsEmpty)
        {
            path = Path.Join(path, below);
            searchPattern = searchPattern[(below.Length + 1)..];
        }

        return FolderWalk.TryStart(
            Path.GetFullPath(path), path, new NameMatcher(searchPattern, options), options, wantsDetails, cancellationToken);
    }

    private static FileEntry Describe(string path)
    {
        FileInfo info = new(path);
        return new FileEntry(path, info.Exists ? info.Length : -1, info.CreationTimeUtc, info.LastWriteTimeUtc, info.LastAccessTimeUtc);
    }
}
