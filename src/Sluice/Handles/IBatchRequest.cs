using Sluice.Engines;

namespace Sluice.Handles;

/// <summary>A request of a batch, for code that is the same for reads and writes.</summary>
internal interface IBatchRequest
{
    long FileOffset { get; }

    /// <summary>Sets the number of bytes that were transferred.</summary>
    int Bytes { set; }

    Exception? Error { get; set; }

    /// <summary>Performs the request with system calls on the calling thread.</summary>
    void Run(SluiceHandle handle);

    /// <summary>Fills an entry of a ring. Returns false if the request has completed.</summary>
    bool Fill(SluiceHandle handle, ref BatchEntry entry);

    /// <summary>Stores the result of an entry.</summary>
    void Take(SluiceHandle handle, in BatchEntry entry);
}
