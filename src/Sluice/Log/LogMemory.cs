namespace Sluice;

/// <summary>Which memory a framed log gathers records in.</summary>
public enum LogMemory
{
    /// <summary>The process's own: records that are not written are lost with it.</summary>
    Process = 0,

    /// <summary>
    /// Memory of the kernel that outlives the process, on Linux (System V shared memory). A record that was copied there is
    /// <see cref="LogDurability.Written"/>: whoever opens the log next finds it, and writes it to the files. It is lost where the machine,
    /// or the IPC namespace, ends: that of a container does with it, that of a Kubernetes pod does not with one of its containers. Where a
    /// process ends in the midst of an append whose number is not the last one, that number is no record's for good, and readers pass over
    /// it.
    /// </summary>
    Shared = 1,
}
