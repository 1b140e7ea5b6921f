namespace Sluice.Cli.Programs.Methods;

/// <summary>How the end of a BeginRead is waited for: by the wait handle, by a lock that the callback opens, or not at all.</summary>
internal abstract class ReadWaiter
{
    public virtual AsyncCallback? Callback => null;

    public abstract void Wait(IAsyncResult read);

    internal sealed class ByWaitHandle : ReadWaiter
    {
        public override void Wait(IAsyncResult read) => read.AsyncWaitHandle.WaitOne();
    }

    internal sealed class ByMonitor : ReadWaiter
    {
        private readonly object _gate = new();
        private int _ended;

        public override AsyncCallback Callback => _ =>
        {
            lock (_gate)
            {
                _ended++;
                Monitor.Pulse(_gate);
            }
        };

        public override void Wait(IAsyncResult read)
        {
            lock (_gate)
            {
                while (_ended == 0)
                    Monitor.Wait(_gate);
                _ended--;
            }
        }
    }

    /// <summary>EndRead waits by itself.</summary>
    internal sealed class ByEndRead : ReadWaiter
    {
        public override void Wait(IAsyncResult read)
        {
        }
    }
}
