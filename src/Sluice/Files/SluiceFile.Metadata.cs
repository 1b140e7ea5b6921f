using System.Diagnostics.CodeAnalysis;
using System.Runtime.CompilerServices;
using System.Runtime.Versioning;
using Microsoft.Win32.SafeHandles;
using Sluice.Errors;
using Sluice.Kernel;

namespace Sluice;

// Names, attributes, times, permissions and links: .NET's own members, which are as fast as the calls below them.
public static partial class SluiceFile
{
    /// <inheritdoc cref="File.Exists(string)"/>
    public static bool Exists([NotNullWhen(true)] string? path) => File.Exists(path);

    /// <inheritdoc cref="File.Delete(string)"/>
    public static void Delete(string path) => File.Delete(path);

    /// <inheritdoc cref="File.Encrypt(string)"/>
    [SupportedOSPlatform("windows")]
    public static void Encrypt(string path) => File.Encrypt(path);

    /// <inheritdoc cref="File.Decrypt(string)"/>
    [SupportedOSPlatform("windows")]
    public static void Decrypt(string path) => File.Decrypt(path);

    /// <inheritdoc cref="File.CreateSymbolicLink(string, string)"/>
    public static FileSystemInfo CreateSymbolicLink(string path, string pathToTarget) => File.CreateSymbolicLink(path, pathToTarget);

    /// <summary>Creates a hard link to an existing file. This method behaves like <c>File.CreateHardLink</c> of .NET 11.</summary>
    /// <param name="path">The path of the hard link.</param>
    /// <param name="pathToTarget">
    /// The path of the existing file. A relative path is relative to the current directory. If the path is a symbolic link, the hard link
    /// refers to the symbolic link itself (link(2)).
    /// </param>
    /// <returns>A <see cref="FileInfo"/> for <paramref name="path"/>.</returns>
    /// <exception cref="ArgumentNullException">
    /// <paramref name="path"/> or <paramref name="pathToTarget"/> is <see langword="null"/>.
    /// </exception>
    /// <exception cref="ArgumentException">
    /// <paramref name="path"/> or <paramref name="pathToTarget"/> is empty or contains a null character.
    /// </exception>
    /// <exception cref="DirectoryNotFoundException">The directory of <paramref name="path"/> does not exist.</exception>
    /// <exception cref="FileNotFoundException"><paramref name="pathToTarget"/> does not exist.</exception>
    /// <exception cref="UnauthorizedAccessException">
    /// The operating system denied the access, or <paramref name="pathToTarget"/> is a directory.
    /// </exception>
    /// <exception cref="IOException">
    /// <paramref name="path"/> already exists, the two paths are on different file systems, or the file system does not support hard links.
    /// </exception>
    public static FileSystemInfo CreateHardLink(string path, string pathToTarget)
    {
        CheckPath(path);
        CheckPath(pathToTarget);
        if (OperatingSystem.IsWindows())
        {
            PortableLinks.CreateOnWindows(path, pathToTarget);
        }
        else
        {
            int result = Libc.IsSupported
                ? NodeCalls.Link(NodePath.Of(pathToTarget), NodePath.Of(path))
                : PortableLinks.Create(path, pathToTarget);
            PathErrors.ThrowIfFailed(result, $"Linking to '{pathToTarget}' as", path);
        }

        return new FileInfo(path);
    }

    private static void CheckPath(string path, [CallerArgumentExpression(nameof(path))] string? name = null)
    {
        ArgumentException.ThrowIfNullOrEmpty(path, name);
        if (path.Contains('\0', StringComparison.Ordinal))
        {
            throw new ArgumentException("Null character in path.", name);
        }
    }

    /// <inheritdoc cref="File.ResolveLinkTarget(string, bool)"/>
    public static FileSystemInfo? ResolveLinkTarget(string linkPath, bool returnFinalTarget) =>
        File.ResolveLinkTarget(linkPath, returnFinalTarget);

    /// <inheritdoc cref="File.GetAttributes(string)"/>
    public static FileAttributes GetAttributes(string path) => File.GetAttributes(path);

    /// <inheritdoc cref="File.GetAttributes(SafeFileHandle)"/>
    public static FileAttributes GetAttributes(SafeFileHandle fileHandle) => File.GetAttributes(fileHandle);

    /// <inheritdoc cref="File.SetAttributes(string, FileAttributes)"/>
    public static void SetAttributes(string path, FileAttributes fileAttributes) => File.SetAttributes(path, fileAttributes);

    /// <inheritdoc cref="File.SetAttributes(SafeFileHandle, FileAttributes)"/>
    public static void SetAttributes(SafeFileHandle fileHandle, FileAttributes fileAttributes) =>
        File.SetAttributes(fileHandle, fileAttributes);

    /// <inheritdoc cref="File.GetUnixFileMode(string)"/>
    [UnsupportedOSPlatform("windows")]
    public static UnixFileMode GetUnixFileMode(string path) => File.GetUnixFileMode(path);

    /// <inheritdoc cref="File.GetUnixFileMode(SafeFileHandle)"/>
    [UnsupportedOSPlatform("windows")]
    public static UnixFileMode GetUnixFileMode(SafeFileHandle fileHandle) => File.GetUnixFileMode(fileHandle);

    /// <inheritdoc cref="File.SetUnixFileMode(string, UnixFileMode)"/>
    [UnsupportedOSPlatform("windows")]
    public static void SetUnixFileMode(string path, UnixFileMode mode) => File.SetUnixFileMode(path, mode);

    /// <inheritdoc cref="File.SetUnixFileMode(SafeFileHandle, UnixFileMode)"/>
    [UnsupportedOSPlatform("windows")]
    public static void SetUnixFileMode(SafeFileHandle fileHandle, UnixFileMode mode) => File.SetUnixFileMode(fileHandle, mode);

    /// <inheritdoc cref="File.GetCreationTime(string)"/>
    public static DateTime GetCreationTime(string path) => File.GetCreationTime(path);

    /// <inheritdoc cref="File.GetCreationTime(SafeFileHandle)"/>
    public static DateTime GetCreationTime(SafeFileHandle fileHandle) => File.GetCreationTime(fileHandle);

    /// <inheritdoc cref="File.SetCreationTime(string, DateTime)"/>
    public static void SetCreationTime(string path, DateTime creationTime) => File.SetCreationTime(path, creationTime);

    /// <inheritdoc cref="File.SetCreationTime(SafeFileHandle, DateTime)"/>
    public static void SetCreationTime(SafeFileHandle fileHandle, DateTime creationTime) => File.SetCreationTime(fileHandle, creationTime);

    /// <inheritdoc cref="File.GetCreationTimeUtc(string)"/>
    public static DateTime GetCreationTimeUtc(string path) => File.GetCreationTimeUtc(path);

    /// <inheritdoc cref="File.GetCreationTimeUtc(SafeFileHandle)"/>
    public static DateTime GetCreationTimeUtc(SafeFileHandle fileHandle) => File.GetCreationTimeUtc(fileHandle);

    /// <inheritdoc cref="File.SetCreationTimeUtc(string, DateTime)"/>
    public static void SetCreationTimeUtc(string path, DateTime creationTimeUtc) => File.SetCreationTimeUtc(path, creationTimeUtc);

    /// <inheritdoc cref="File.SetCreationTimeUtc(SafeFileHandle, DateTime)"/>
    public static void SetCreationTimeUtc(SafeFileHandle fileHandle, DateTime creationTimeUtc) =>
        File.SetCreationTimeUtc(fileHandle, creationTimeUtc);

    /// <inheritdoc cref="File.GetLastAccessTime(string)"/>
    public static DateTime GetLastAccessTime(string path) => File.GetLastAccessTime(path);

    /// <inheritdoc cref="File.GetLastAccessTime(SafeFileHandle)"/>
    public static DateTime GetLastAccessTime(SafeFileHandle fileHandle) => File.GetLastAccessTime(fileHandle);

    /// <inheritdoc cref="File.SetLastAccessTime(string, DateTime)"/>
    public static void SetLastAccessTime(string path, DateTime lastAccessTime) => File.SetLastAccessTime(path, lastAccessTime);

    /// <inheritdoc cref="File.SetLastAccessTime(SafeFileHandle, DateTime)"/>
    public static void SetLastAccessTime(SafeFileHandle fileHandle, DateTime lastAccessTime) =>
        File.SetLastAccessTime(fileHandle, lastAccessTime);

    /// <inheritdoc cref="File.GetLastAccessTimeUtc(string)"/>
    public static DateTime GetLastAccessTimeUtc(string path) => File.GetLastAccessTimeUtc(path);

    /// <inheritdoc cref="File.GetLastAccessTimeUtc(SafeFileHandle)"/>
    public static DateTime GetLastAccessTimeUtc(SafeFileHandle fileHandle) => File.GetLastAccessTimeUtc(fileHandle);

    /// <inheritdoc cref="File.SetLastAccessTimeUtc(string, DateTime)"/>
    public static void SetLastAccessTimeUtc(string path, DateTime lastAccessTimeUtc) => File.SetLastAccessTimeUtc(path, lastAccessTimeUtc);

    /// <inheritdoc cref="File.SetLastAccessTimeUtc(SafeFileHandle, DateTime)"/>
    public static void SetLastAccessTimeUtc(SafeFileHandle fileHandle, DateTime lastAccessTimeUtc) =>
        File.SetLastAccessTimeUtc(fileHandle, lastAccessTimeUtc);

    /// <inheritdoc cref="File.GetLastWriteTime(string)"/>
    public static DateTime GetLastWriteTime(string path) => File.GetLastWriteTime(path);

    /// <inheritdoc cref="File.GetLastWriteTime(SafeFileHandle)"/>
    public static DateTime GetLastWriteTime(SafeFileHandle fileHandle) => File.GetLastWriteTime(fileHandle);

    /// <inheritdoc cref="File.SetLastWriteTime(string, DateTime)"/>
    public static void SetLastWriteTime(string path, DateTime lastWriteTime) => File.SetLastWriteTime(path, lastWriteTime);

    /// <inheritdoc cref="File.SetLastWriteTime(SafeFileHandle, DateTime)"/>
    public static void SetLastWriteTime(SafeFileHandle fileHandle, DateTime lastWriteTime) =>
        File.SetLastWriteTime(fileHandle, lastWriteTime);

    /// <inheritdoc cref="File.GetLastWriteTimeUtc(string)"/>
    public static DateTime GetLastWriteTimeUtc(string path) => File.GetLastWriteTimeUtc(path);

    /// <inheritdoc cref="File.GetLastWriteTimeUtc(SafeFileHandle)"/>
    public static DateTime GetLastWriteTimeUtc(SafeFileHandle fileHandle) => File.GetLastWriteTimeUtc(fileHandle);

    /// <inheritdoc cref="File.SetLastWriteTimeUtc(string, DateTime)"/>
    public static void SetLastWriteTimeUtc(string path, DateTime lastWriteTimeUtc) => File.SetLastWriteTimeUtc(path, lastWriteTimeUtc);

    /// <inheritdoc cref="File.SetLastWriteTimeUtc(SafeFileHandle, DateTime)"/>
    public static void SetLastWriteTimeUtc(SafeFileHandle fileHandle, DateTime lastWriteTimeUtc) =>
        File.SetLastWriteTimeUtc(fileHandle, lastWriteTimeUtc);
}
