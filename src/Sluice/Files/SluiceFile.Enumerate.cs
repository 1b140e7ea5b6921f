using System.Runtime.CompilerServices;
using Sluice.Enumeration;
using Sluice.Kernel;

namespace Sluice;

// Enumeration of files.
//
// The files are those of Directory.EnumerateFiles under the same options, with the same paths and exceptions, in any order. Nothing is
// read before the first element is asked for. The caller's thread is all that is needed; threads of the pool help an enumeration that goes
// on for long. The options are read once, by the call. Attributes other than hidden and system in EnumerationOptions.AttributesToSkip, and
// other systems than Linux, are left to .NET's own enumeration.
public static partial class SluiceFile
{
    /// <summary>What <see cref="Directory"/> uses where no options are given.</summary>
    private static readonly EnumerationOptions CompatibleOptions = new()
    {
        MatchType = MatchType.Win32,
        AttributesToSkip = 0,
        IgnoreInaccessible = false,
    };

    /// <summary>Enumerates the files in a directory.</summary>
    /// <param name="path">The path of the directory.</param>
    /// <returns>The paths of the files.</returns>
    /// <inheritdoc cref="Directory.EnumerateFiles(string)" path="/exception"/>
    /// <remarks>
    /// The files are those that <see cref="Directory.EnumerateFiles(string)"/> returns, with the same paths, but their order is not
    /// specified. The directory is opened by this call and is read when the first element is requested. A long enumeration also uses
    /// thread-pool threads.
    /// </remarks>
    public static IEnumerable<string> EnumerateFiles(string path) => EnumerateFiles(path, "*", CompatibleOptions);

    /// <summary>Enumerates the files in a directory whose names match a pattern.</summary>
    /// <param name="path">The path of the directory.</param>
    /// <param name="searchPattern">The pattern that the file names must match. It may contain the wildcards * and ?.</param>
    /// <returns>The paths of the files.</returns>
    /// <inheritdoc cref="Directory.EnumerateFiles(string, string)" path="/exception"/>
    /// <remarks>
    /// The files are those that <see cref="Directory.EnumerateFiles(string, string)"/> returns, with the same paths, but their order is not
    /// specified. The directory is opened by this call and is read when the first element is requested. A long enumeration also uses
    /// thread-pool threads.
    /// </remarks>
    public static IEnumerable<string> EnumerateFiles(string path, string searchPattern) =>
        EnumerateFiles(path, searchPattern, CompatibleOptions);

    /// <summary>
    /// Enumerates the files in a directory whose names match a pattern, and optionally those in its subdirectories.
    /// </summary>
    /// <param name="path">The path of the directory.</param>
    /// <param name="searchPattern">The pattern that the file names must match. It may contain the wildcards * and ?.</param>
    /// <param name="searchOption">A value that specifies whether to include the subdirectories.</param>
    /// <returns>The paths of the files.</returns>
    /// <inheritdoc cref="Directory.EnumerateFiles(string, string, SearchOption)" path="/exception"/>
    /// <remarks>
    /// The files are those that <see cref="Directory.EnumerateFiles(string, string, SearchOption)"/> returns, with the same paths, but
    /// their order is not specified. The directory is opened by this call and is read when the first element is requested. A long
    /// enumeration also uses thread-pool threads.
    /// </remarks>
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

    /// <summary>Enumerates the files in a directory with the specified options.</summary>
    /// <param name="path">The path of the directory.</param>
    /// <param name="enumerationOptions">The options of the enumeration.</param>
    /// <returns>The paths of the files.</returns>
    /// <inheritdoc cref="Directory.EnumerateFiles(string, string, EnumerationOptions)" path="/exception"/>
    /// <remarks>
    /// The files are those that <see cref="Directory.EnumerateFiles(string, string, EnumerationOptions)"/> returns, with the same paths,
    /// but their order is not specified. The directory is opened by this call and is read when the first element is requested. A long
    /// enumeration also uses thread-pool threads.
    /// </remarks>
    public static IEnumerable<string> EnumerateFiles(string path, EnumerationOptions enumerationOptions) =>
        EnumerateFiles(path, "*", enumerationOptions);

    /// <summary>Enumerates the files in a directory whose names match a pattern, with the specified options.</summary>
    /// <param name="path">The path of the directory.</param>
    /// <param name="searchPattern">The pattern that the file names must match. It may contain the wildcards * and ?.</param>
    /// <param name="enumerationOptions">The options of the enumeration.</param>
    /// <returns>The paths of the files.</returns>
    /// <inheritdoc cref="Directory.EnumerateFiles(string, string, EnumerationOptions)" path="/exception"/>
    /// <remarks>
    /// The files are those that <see cref="Directory.EnumerateFiles(string, string, EnumerationOptions)"/> returns, with the same paths,
    /// but their order is not specified. The directory is opened by this call and is read when the first element is requested. A long
    /// enumeration also uses thread-pool threads.
    /// </remarks>
    public static IEnumerable<string> EnumerateFiles(string path, string searchPattern, EnumerationOptions enumerationOptions)
    {
        enumerationOptions = Read(enumerationOptions);
        FolderQuery? query = TryPlan(path, searchPattern, enumerationOptions, wantsDetails: false);
        return query is not null && FolderWalk.TryOpen(query) is { } walk
            ? new FolderEnumerable<string>(query, walk, static (chunk, index) => chunk.PathAt(index))
            : Directory.EnumerateFiles(path, searchPattern, enumerationOptions);
    }

    /// <summary>Enumerates the files in a directory, with their lengths and times.</summary>
    /// <param name="path">The path of the directory.</param>
    /// <param name="searchPattern">
    /// The pattern that the file names must match. It may contain the wildcards * and ?. The default is "*", which matches every
    /// name.
    /// </param>
    /// <param name="enumerationOptions">
    /// The options of the enumeration, or <see langword="null"/> (the default) for the default options of <see cref="Directory"/>.
    /// </param>
    /// <returns>The files, with their paths, lengths and times.</returns>
    /// <inheritdoc cref="Directory.EnumerateFiles(string, string, EnumerationOptions)" path="/exception"/>
    /// <remarks>
    /// The files are those that <see cref="Directory.EnumerateFiles(string, string, EnumerationOptions)"/> returns, with the same paths,
    /// but their order is not specified. The directory is opened by this call and is read when the first element is requested. A long
    /// enumeration also uses thread-pool threads.
    /// </remarks>
    public static IEnumerable<FileEntry> EnumerateFileEntries(
        string path, string searchPattern = "*", EnumerationOptions? enumerationOptions = null)
    {
        enumerationOptions = Read(enumerationOptions ?? CompatibleOptions);
        FolderQuery? query = TryPlan(path, searchPattern, enumerationOptions, wantsDetails: true);
        return query is not null && FolderWalk.TryOpen(query) is { } walk
            ? new FolderEnumerable<FileEntry>(query, walk, static (chunk, index) => chunk.EntryAt(index))
            : Directory.EnumerateFiles(path, searchPattern, enumerationOptions).Select(Describe);
    }

    /// <summary>Asynchronously enumerates the files in a directory.</summary>
    /// <param name="path">The path of the directory.</param>
    /// <param name="searchPattern">
    /// The pattern that the file names must match. It may contain the wildcards * and ?. The default is "*", which matches every
    /// name.
    /// </param>
    /// <param name="enumerationOptions">
    /// The options of the enumeration, or <see langword="null"/> (the default) for the default options of <see cref="Directory"/>.
    /// </param>
    /// <param name="cancellationToken">The token to monitor for cancellation requests.</param>
    /// <returns>The paths of the files.</returns>
    /// <inheritdoc cref="Directory.EnumerateFiles(string, string, EnumerationOptions)" path="/exception"/>
    /// <exception cref="OperationCanceledException"><paramref name="cancellationToken"/> was canceled.</exception>
    /// <remarks>
    /// The files are those that <see cref="Directory.EnumerateFiles(string, string, EnumerationOptions)"/> returns, with the same paths,
    /// but their order is not specified. The directory is opened when the first element is requested. Exceptions that occur when the
    /// directory is opened or read are thrown by the enumeration.
    /// </remarks>
    public static IAsyncEnumerable<string> EnumerateFilesAsync(
        string path, string searchPattern = "*", EnumerationOptions? enumerationOptions = null,
        CancellationToken cancellationToken = default)
    {
        enumerationOptions = Read(enumerationOptions ?? CompatibleOptions);
        FolderQuery? query = TryPlan(path, searchPattern, enumerationOptions, wantsDetails: false);
        return WalkAsync(
            query,
            static (chunk, index) => chunk.PathAt(index),
            () => Directory.EnumerateFiles(path, searchPattern, enumerationOptions),
            cancellationToken);
    }

    /// <summary>Asynchronously enumerates the files in a directory, with their lengths and times.</summary>
    /// <param name="path">The path of the directory.</param>
    /// <param name="searchPattern">
    /// The pattern that the file names must match. It may contain the wildcards * and ?. The default is "*", which matches every
    /// name.
    /// </param>
    /// <param name="enumerationOptions">
    /// The options of the enumeration, or <see langword="null"/> (the default) for the default options of <see cref="Directory"/>.
    /// </param>
    /// <param name="cancellationToken">The token to monitor for cancellation requests.</param>
    /// <returns>The files, with their paths, lengths and times.</returns>
    /// <inheritdoc cref="Directory.EnumerateFiles(string, string, EnumerationOptions)" path="/exception"/>
    /// <exception cref="OperationCanceledException"><paramref name="cancellationToken"/> was canceled.</exception>
    /// <remarks>
    /// The files are those that <see cref="Directory.EnumerateFiles(string, string, EnumerationOptions)"/> returns, with the same paths,
    /// but their order is not specified. The directory is opened when the first element is requested. Exceptions that occur when the
    /// directory is opened or read are thrown by the enumeration.
    /// </remarks>
    public static IAsyncEnumerable<FileEntry> EnumerateFileEntriesAsync(
        string path, string searchPattern = "*", EnumerationOptions? enumerationOptions = null,
        CancellationToken cancellationToken = default)
    {
        enumerationOptions = Read(enumerationOptions ?? CompatibleOptions);
        FolderQuery? query = TryPlan(path, searchPattern, enumerationOptions, wantsDetails: true);
        return WalkAsync(
            query,
            static (chunk, index) => chunk.EntryAt(index),
            () => Directory.EnumerateFiles(path, searchPattern, enumerationOptions).Select(Describe),
            cancellationToken);
    }

    private static async IAsyncEnumerable<T> WalkAsync<T>(
        FolderQuery? query, Func<EntryChunk, int, T> select, Func<IEnumerable<T>> enumerateByNet,
        [EnumeratorCancellation] CancellationToken cancellationToken)
    {
        cancellationToken.ThrowIfCancellationRequested();
        using FolderWalk? walk = query is null
            ? null
            : await Task.Run(() => FolderWalk.TryOpen(query), CancellationToken.None).ConfigureAwait(false);
        if (walk is null)
        {
            foreach (T file in enumerateByNet())
            {
                cancellationToken.ThrowIfCancellationRequested();
                yield return file;
            }

            yield break;
        }

        while (await walk.NextAsync(cancellationToken).ConfigureAwait(false) is { } chunk)
        {
            using EntryChunk held = chunk;
            for (int i = 0; i < chunk.Count; i++)
            {
                cancellationToken.ThrowIfCancellationRequested();
                yield return select(chunk, i);
            }
        }
    }

    /// <summary>What the caller's options say now: .NET's own enumeration looks at them as long as it lasts.</summary>
    private static EnumerationOptions Read(EnumerationOptions options) => options is null ? null! : new EnumerationOptions
    {
        AttributesToSkip = options.AttributesToSkip,
        BufferSize = options.BufferSize,
        IgnoreInaccessible = options.IgnoreInaccessible,
        MatchCasing = options.MatchCasing,
        MatchType = options.MatchType,
        MaxRecursionDepth = options.MaxRecursionDepth,
        RecurseSubdirectories = options.RecurseSubdirectories,
        ReturnSpecialDirectories = options.ReturnSpecialDirectories,
    };

    /// <summary>Null where .NET's own enumeration is to be used: it then gives the result, or the exception.</summary>
    private static FolderQuery? TryPlan(string path, string searchPattern, EnumerationOptions options, bool wantsDetails)
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

        return new FolderQuery(path, searchPattern, options, wantsDetails);
    }

    private static FileEntry Describe(string path)
    {
        FileInfo info = new(path);
        return new FileEntry(path, info.Exists ? info.Length : -1, info.CreationTimeUtc, info.LastWriteTimeUtc, info.LastAccessTimeUtc);
    }
}
