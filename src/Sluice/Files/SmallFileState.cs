namespace Sluice.Files;

/// <summary>What a file of a batch needs next.</summary>
internal enum SmallFileState : byte
{
    /// <summary>Its name or its content is not in memory: opening and reading would wait for the disk.</summary>
    Cold,

    /// <summary>Nothing: it has its content or its error.</summary>
    Done,

    /// <summary>Too large for a batch, to be read alone when its turn comes.</summary>
    Large,

    /// <summary>Not a plain file, or something went wrong: opened alone, as .NET does, it gives its content or the exception.</summary>
    Fallback,
}
