namespace Sluice.Kernel;

/// <summary>
/// How often a submission looked whether the lock of its ring was another thread's, and found it so; of all rings. Races between threads
/// lose a count, nothing else.
/// </summary>
internal static class LockLooks
{
    public static long Count { get; private set; }

    public static long Taken { get; private set; }

    public static void Note(bool isTaken)
    {
        Count++;
        Taken += isTaken ? 1 : 0;
    }
}
