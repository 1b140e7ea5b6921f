using Sluice.Uring.Abi;

namespace Sluice.Uring;

/// <summary>
/// The entries of one ring that <see cref="SystemCallFaults"/> has failed, by user data, until their completions are taken. Thread-safe,
/// because different threads may submit and take completions.
/// </summary>
internal sealed class RingFaults
{
    private readonly Dictionary<ulong, int> _results = [];

    public void Add(ulong userData, int result)
    {
        lock (_results)
        {
            _results[userData] = result;
        }
    }

    /// <summary>Removes an entry that was taken back, or whose completion was taken. Returns false if it was not made to fail.</summary>
    public bool Remove(ulong userData, out int result)
    {
        lock (_results)
        {
            return _results.Remove(userData, out result);
        }
    }

    public void Answer(Span<IoUringCqe> completions)
    {
        foreach (ref IoUringCqe completion in completions)
        {
            if (Remove(completion.UserData, out int result))
            {
                completion.Res = result;
            }
        }
    }
}
