using System.Runtime.ExceptionServices;

namespace Sluice;

/// <summary>Represents the content of one file of a batch, or the exception that occurred when the file was read.</summary>
/// <param name="Path">The path as it was passed to <see cref="SluiceFile.ReadManyAsync"/>.</param>
/// <param name="Content">The content of the file, or <see langword="null"/> if it could not be read.</param>
/// <param name="Error">
/// The exception that <see cref="File.ReadAllBytes"/> throws for this file; or an <see cref="IOException"/> if the path is a FIFO,
/// a socket or a device; or <see langword="null"/> if the file was read.
/// </param>
/// <remarks>This type is immutable. The array in <see cref="Content"/> belongs to the caller.</remarks>
public readonly record struct FileReadResult(string Path, byte[]? Content, Exception? Error)
{
    /// <summary>Returns the content of the file, or throws <see cref="Error"/> if the file could not be read.</summary>
    /// <returns>The content of the file. It is the array of <see cref="Content"/>, not a copy.</returns>
    public byte[] GetContent()
    {
        if (Error is not null)
        {
            ExceptionDispatchInfo.Throw(Error);
        }

        return Content!;
    }
}
