using Sluice.Faults.Child.Support;

namespace Sluice.Faults.Child.Conformance;

/// <summary>Where a check runs: a folder of some file system, a caching mode, an engine (null: the process's own).</summary>
internal sealed class ConformanceTarget(string folder, FileCaching caching, IoEngine? engine)
{
    private static int s_next;

    public FileCaching Caching => caching;

    public IoEngine? Engine => engine;

    public bool TakesDirect => Native.TakesDirect(folder);

    public bool TakesAllocate => Native.TakesAllocate(folder);

    public bool TakesPunch => Native.TakesPunch(folder);

    public bool TellsExtents => Native.TellsExtents(folder);

    public ScratchFile NewFile() => new(Path.Combine(folder, $"file-{Environment.ProcessId}-{Interlocked.Increment(ref s_next)}"));

    public SluiceHandle Open(
        ScratchFile file,
        FileAccess access = FileAccess.ReadWrite,
        FileMode mode = FileMode.OpenOrCreate,
        FileShare share = FileShare.ReadWrite) => SluiceHandle.Open(file.Path, new SluiceOptions
        {
            Mode = mode,
            Access = access,
            Share = share,
            Caching = caching,
            Engine = engine,
        });
}
