using System.Runtime.ExceptionServices;

namespace Sluice.Uring.Tests.Support;

/// <summary>A thread of a test's own, whose identity, filters and capabilities end with it; its exception becomes the test's.</summary>
internal sealed class TestThread
{
    private readonly Thread _thread;
    private readonly TaskCompletionSource<int> _threadId = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private ExceptionDispatchInfo? _failure;

    private TestThread(Action body)
    {
        _thread = new Thread(() =>
        {
            _threadId.SetResult(Native.gettid());
            try
            {
                body();
            }
            catch (Exception e)
            {
                _failure = ExceptionDispatchInfo.Capture(e);
            }
        })
        { IsBackground = true };
    }

    /// <summary>The kernel's number of the thread.</summary>
    public int ThreadId => _threadId.Task.Result;

    public static TestThread Start(Action body)
    {
        TestThread thread = new(body);
        thread._thread.Start();
        return thread;
    }

    public static void Run(Action body) => Start(body).Join();

    public void Join()
    {
        _thread.Join();
        _failure?.Throw();
    }

    /// <summary>
    /// Returns when the thread sits in the system call with these leading arguments (as /proc prints them); throws when it ends instead.
    /// </summary>
    public void WaitUntilIn(int systemCall, params string[] arguments)
    {
        string wanted = string.Join(' ', [systemCall.ToString(), .. arguments]);
        while (_thread.IsAlive)
        {
            string now = File.ReadAllText($"/proc/self/task/{ThreadId}/syscall");
            if (now.StartsWith(wanted, StringComparison.Ordinal) && now[wanted.Length] == ' ')
            {
                return;
            }

            Thread.Sleep(1);
        }

        Join();
        throw new InvalidOperationException("The thread ended without waiting.");
    }
}
