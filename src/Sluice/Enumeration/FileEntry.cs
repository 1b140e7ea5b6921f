namespace Sluice;

/// <summary>Represents a file that was found by an enumeration, with properties of <see cref="FileInfo"/>.</summary>
/// <param name="Path">The path of the file, in the form that <see cref="Directory.EnumerateFiles(string)"/> returns.</param>
/// <param name="Length">
/// The length of the file, in bytes. For a symbolic link, this is the length of the link itself. The value is -1 if the file no longer
/// exists or its properties cannot be read.
/// </param>
/// <param name="CreationTimeUtc">
/// The time at which the file was created, in UTC. If the file system does not store this time, the value is the time of the last write or
/// of the last change of the metadata, whichever is earlier.
/// </param>
/// <param name="LastWriteTimeUtc">The time of the last write to the file, in UTC.</param>
/// <param name="LastAccessTimeUtc">The time of the last read of the file, in UTC, if the file system maintains it.</param>
/// <remarks>
/// If the file no longer exists or its properties cannot be read, the times are January 1, 1601, as with <see cref="FileInfo"/>.
/// This type is immutable and therefore thread-safe.
/// </remarks>
public readonly record struct FileEntry(
    string Path, long Length, DateTime CreationTimeUtc, DateTime LastWriteTimeUtc, DateTime LastAccessTimeUtc);
