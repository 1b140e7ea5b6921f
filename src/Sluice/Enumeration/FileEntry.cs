namespace Sluice;

/// <summary>Represents a file that an enumeration found, with the properties that <see cref="FileInfo"/> has for it.</summary>
/// <param name="Path">The path of the file, in the form that <see cref="Directory.EnumerateFiles(string)"/> returns.</param>
/// <param name="Length">
/// The length of the file, in bytes. For a symbolic link, it is the length of the link itself. It is -1 if the file no longer
/// exists or its properties cannot be read.
/// </param>
/// <param name="CreationTimeUtc">
/// The time at which the file was created, in UTC. If the file system does not store it, it is the earlier of the times of the
/// last write and the last change of the file's properties.
/// </param>
/// <param name="LastWriteTimeUtc">The time of the last write to the file, in UTC.</param>
/// <param name="LastAccessTimeUtc">The time of the last read of the file, in UTC, as far as the file system maintains it.</param>
/// <remarks>
/// If the file no longer exists or its properties cannot be read, the times are January 1, 1601, as with <see cref="FileInfo"/>.
/// This type is immutable and therefore thread-safe.
/// </remarks>
public readonly record struct FileEntry(
    string Path, long Length, DateTime CreationTimeUtc, DateTime LastWriteTimeUtc, DateTime LastAccessTimeUtc);
