using Sluice.Uring;

namespace Sluice.Log.Tests.Support;

/// <summary>What happens between two system calls of a thread. It looks at every call of the process: such tests run alone.</summary>
internal static class SystemCallSteps
{
    /// <summary>Answers the system calls of this thread; those of others are not touched.</summary>
    public static void UseOwn(Func<string, int, long, long> answer)
    {
        int thread = Environment.CurrentManagedThreadId;
        SystemCallFaults.Use((call, fd, length) => Environment.CurrentManagedThreadId == thread ? answer(call, fd, length) : 0);
    }

    /// <summary>Does something before one system call of what this thread does; whether it came to that.</summary>
    /// <param name="step">Which.</param>
    /// <param name="meanwhile">What is done before it.</param>
    /// <param name="action">What is done.</param>
    /// <param name="from">The first call that counts; null for all.</param>
    public static bool At(int step, Action meanwhile, Action action, string? from = null)
    {
        int calls = 0;
        bool isDone = false;
        UseOwn((call, _, _) =>
        {
            if (!isDone && (calls > 0 || from is null || call == from) && calls++ == step)
            {
                isDone = true;
                meanwhile();
            }

            return 0;
        });
        try
        {
            action();
        }
        finally
        {
            SystemCallFaults.Use(null);
        }

        return isDone;
    }
}
