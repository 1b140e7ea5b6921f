namespace Sluice.Files;

/// <summary>The next step for a file of a batch.</summary>
internal enum SmallFileState : byte
{
    /// <summary>The name or the content is not cached, so that opening or reading the file would wait for the disk.</summary>
    Cold,

    /// <summary>The file has its content or its error.</summary>
    Done,

    /// <summary>The file is too large for a group and is read when its result is requested.</summary>
    Large,

    /// <summary>
    /// The file is not a regular file, or an error occurred. It is opened individually, which returns the content or the exception of .NET.
    /// </summary>
    Fallback,
}
