using System.Runtime.ExceptionServices;

namespace Sluice;

/// <summary>One file of a batch: its content, or why it could not be read.</summary>
/// <param name="Path">The path as it was given.</param>
/// <param name="Content">The whole content, or null where <paramref name="Error"/> says why there is none.</param>
/// <param name="Error">
/// What <see cref="File.ReadAllBytes"/> throws for this path, or that a batch would have to wait for it; or null.
/// </param>
public readonly record struct FileReadResult(string Path, byte[]? Content, Exception? Error)
{
    /// <summary>The content; throws <see cref="Error"/> where there is none.</summary>
    public byte[] GetContent()
    {
        if (Error is not null)
        {
            ExceptionDispatchInfo.Throw(Error);
        }

        return Content!;
    }
}
