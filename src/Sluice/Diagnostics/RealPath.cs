using Sluice.Kernel;

namespace Sluice.Diagnostics;

/// <summary>Resolves the symbolic links of a path to a path without links.</summary>
internal static class RealPath
{
    // The limit of the kernel (path_resolution(7)).
    private const int MaxLinks = 40;

    private static readonly char[] Separators = [Path.DirectorySeparatorChar, Path.AltDirectorySeparatorChar];

    /// <summary>
    /// Returns the full path without symbolic links. ".." in a link is relative to the directory that really contains the link. The target
    /// need not exist.
    /// </summary>
    /// <exception cref="IOException">The links form a loop, or ".." follows something that is not a directory.</exception>
    public static string Of(string path)
    {
        string full = Path.GetFullPath(path);
        string at = Path.GetPathRoot(full)!;
        Stack<string> due = new();
        Push(due, full[at.Length..]);
        int links = 0;
        while (due.TryPop(out string? name))
        {
            if (name == "..")
            {
                at = Directory.Exists(at) ? Path.GetDirectoryName(at) ?? at
                    : throw new DirectoryNotFoundException($"'{path}' leads up from '{at}', which is not a folder.");
                continue;
            }

            string next = Path.Join(at, name);
            if (new FileInfo(next).LinkTarget is not { } text)
            {
                at = next;
                continue;
            }

            if (++links > MaxLinks)
            {
                throw new IOException($"'{path}' leads through more than {MaxLinks} links.");
            }

            string root = Path.GetPathRoot(text) ?? "";
            at = root.Length > 0 ? Path.GetFullPath(root, at) : at;
            Push(due, text[root.Length..]);
        }

        return at;
    }

    /// <summary>
    /// Returns true if the path leads to an existing file that really has the resolved name. Some links in /proc do not lead to the path
    /// that they contain.
    /// </summary>
    public static bool IsOf(string path, string realPath) =>
        Libc.IsSupported ? PathKinds.AreSame(path, realPath) : Path.Exists(realPath);

    private static void Push(Stack<string> due, string path)
    {
        string[] names = path.Split(Separators, StringSplitOptions.RemoveEmptyEntries);
        for (int i = names.Length - 1; i >= 0; i--)
        {
            if (names[i] != ".")
            {
                due.Push(names[i]);
            }
        }
    }
}
