namespace Sluice;

/// <summary>A file that an enumeration found, with what <see cref="FileInfo"/> says of it.</summary>
/// <param name="Path">The path, as <see cref="Directory.EnumerateFiles(string)"/> gives it.</param>
/// <param name="Length">Bytes; of a symbolic link, those of the link itself; -1 where the file is gone, or may not be looked at.</param>
/// <param name="CreationTimeUtc">
/// When it was made, which .NET does not tell on Linux; the oldest time known where the file system does not keep it.
/// </param>
/// <param name="LastWriteTimeUtc">When its content last changed.</param>
/// <param name="LastAccessTimeUtc">When it was last read, as far as the file system keeps that.</param>
public readonly record struct FileEntry(
    string Path, long Length, DateTime CreationTimeUtc, DateTime LastWriteTimeUtc, DateTime LastAccessTimeUtc);
