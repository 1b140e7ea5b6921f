namespace Sluice.Memory;

/// <summary>An owner of memory with quick ways that take no lock; see <see cref="RetiredMemory"/>.</summary>
internal interface IMemoryUser
{
    /// <summary>Whether a thread is inside a quick way.</summary>
    bool IsCopying { get; }
}
