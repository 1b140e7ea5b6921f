using Sluice.Kernel;

namespace Sluice.Diagnostics;

/// <summary>Where a path leads, told from what its links say; for what needs a name, and not an open file.</summary>
internal static class RealPath
{
    // The kernel's own limit (path_resolution(7)).
    private const int MaxLinks = 40;

    private static readonly char[] Separators = [Path.DirectorySeparatorChar, Path.AltDirectorySeparatorChar];

    /// <summary>
    /// The full path, without links in it. Each link is followed from the folder that it really lies in: ".." in what it says is the
    /// folder above that one, by whatever name it was reached. What the path leads to need not exist.
    /// </summary>
    /// <exception cref="IOException">A link leads back to itself, or up from what is no folder.</exception>
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
                    : throw new DirectoryNotFoundException($"'{path}' leads up from '{at}', which is no folder.");
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
    /// Whether what a path leads to is there, and has this name: some links of /proc lead where they do not say.
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
