namespace Sluice;

/// <summary>Specifies the memory in which a framed log holds records until they are written to the files.</summary>
public enum LogMemory
{
    /// <summary>
    /// The memory of the process. Records that have not been written are lost if the process ends before the log is disposed.
    /// </summary>
    Process = 0,

    /// <summary>
    /// System V shared memory (shmget(2)), which outlives the process. Linux only. A record in this memory has the durability
    /// <see cref="LogDurability.Written"/>. After the end of the process, the next <see cref="SluiceLog.Open"/> writes the record to the
    /// files.
    /// </summary>
    /// <remarks>
    /// <para>
    /// The memory is lost when the machine stops or when its IPC namespace ends. Usually, the IPC namespace of a container ends with the
    /// container. The containers of a Kubernetes pod share one IPC namespace, which ends with the pod.
    /// </para>
    /// <para>
    /// If a process ends during an append and later records were already appended, the sequence number of the unfinished record remains
    /// unused.
    /// </para>
    /// </remarks>
    Shared = 1,
}
