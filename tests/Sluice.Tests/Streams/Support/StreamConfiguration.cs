using Sluice.Testing;

namespace Sluice.Tests.Streams;

/// <summary>How both streams of a pair are opened, and what is Sluice's own business (engine and caching).</summary>
/// <param name="BufferSize">Bytes; <see cref="SluiceOptions.Adaptive"/> leaves it to each stream's default.</param>
/// <param name="Engine">"own" (what SLUICE_ENGINE chooses, with inline shortcuts), "plugged" (the same, every transfer passing through
/// it), "pool", or "faulty" (harmless faults before the process's own).</param>
internal sealed record StreamConfiguration(
    FileMode Mode, FileAccess Access, FileShare Share, int BufferSize, bool IsAsync, string Engine, FileCaching Caching)
{
    /// <summary>Buffer sizes of the matrix, in bytes.</summary>
    public static readonly int[] BufferSizes = [SluiceOptions.Adaptive, 0, 1, 64, 4096];

    /// <summary>The process's own engine, and the stream used as a <see cref="FileStream"/>.</summary>
    public const string AsFileStream = "as-file-stream";

    private static readonly IoEngine Faulty = new FaultyEngine(Sluice.Tests.Model.ModelProgram.HarmlessFaults(4711));

    /// <summary>Whether the two streams buffer alike, so that the disk may be compared before a flush.</summary>
    public bool IsUnbuffered => BufferSize is 0 or 1;

    public bool IsFaulty => Engine == "faulty";

    /// <summary>Every mode x access that can be opened x buffer size x sync/async.</summary>
    public static IEnumerable<StreamConfiguration> All(string engine, FileCaching caching) =>
        from mode in Enum.GetValues<FileMode>()
        from access in Enum.GetValues<FileAccess>()
        where IsValid(mode, access)
        from bufferSize in BufferSizes
        from isAsync in (bool[])[false, true]
        select new StreamConfiguration(mode, access, FileShare.ReadWrite, bufferSize, isAsync, engine, caching);

    public static bool IsValid(FileMode mode, FileAccess access) => mode switch
    {
        FileMode.Append => access == FileAccess.Write,
        FileMode.Create or FileMode.CreateNew or FileMode.Truncate => access != FileAccess.Read,
        _ => true,
    };

    /// <summary>The mode, or one that takes this access.</summary>
    public static FileMode Fit(FileMode mode, FileAccess access) => IsValid(mode, access) ? mode : FileMode.OpenOrCreate;

    public StreamSubject OpenTheirs(string path, FileMode mode) => OpenTheirs(path, mode, BufferSize);

    /// <summary>FileStream with another buffer than the configuration's.</summary>
    public StreamSubject OpenTheirs(string path, FileMode mode, int bufferSize)
    {
        FileStreamOptions options = new()
        {
            Mode = mode,
            Access = Access,
            Share = Share,
            Options = IsAsync ? FileOptions.Asynchronous : FileOptions.None,
        };
        if (bufferSize != SluiceOptions.Adaptive)
        {
            options.BufferSize = bufferSize;
        }

        return new FileStreamSubject(new FileStream(path, options));
    }

    public StreamSubject OpenOwn(string path, FileMode mode)
    {
        SluiceStream stream = new(path, new SluiceOptions
        {
            Mode = mode,
            Access = Access,
            Share = Share,
            Options = IsAsync ? FileOptions.Asynchronous : FileOptions.None,
            BufferSize = BufferSize,
            Caching = Caching,
            Engine = EngineNamed(Engine),
        });
        return Engine == AsFileStream ? new FileStreamSubject(stream.AsFileStream()) : new SluiceStreamSubject(stream);
    }

    public static IoEngine? EngineNamed(string name) => name switch
    {
        "own" or AsFileStream => null,
        "plugged" => SluiceEngines.Default,
        "pool" => SluiceEngines.Pool,
        "faulty" => Faulty,
        _ => throw new ArgumentException($"No engine is called '{name}'.", nameof(name)),
    };

    public override string ToString() => $"{Mode},{Access},{Share},{BufferSize},{(IsAsync ? "async" : "sync")},{Engine},{Caching}";

    public static StreamConfiguration Parse(string text)
    {
        string[] parts = text.Split(',');
        return new StreamConfiguration(
            Enum.Parse<FileMode>(parts[0]), Enum.Parse<FileAccess>(parts[1]), Enum.Parse<FileShare>(parts[2]), int.Parse(parts[3]),
            parts[4] == "async", parts[5], Enum.Parse<FileCaching>(parts[6]));
    }
}
