using System.Diagnostics;

namespace Sluice.Cli.Bench.Everyday;

/// <summary>
/// Processes that compute without a pause while a row is measured. They end when this object is disposed, and also when this process ends,
/// because that closes their standard input.
/// </summary>
internal sealed class BusyProcesses : IDisposable
{
    /// <summary>The only argument of such a process.</summary>
    public const string Argument = "busy-process-beside-a-row";

    private const string Ready = "busy";

    private readonly List<Process> _processes = [];

    private BusyProcesses()
    {
    }

    /// <summary>Starts a number of processes, and returns when all of them compute.</summary>
    /// <exception cref="RowSkippedException">The processes could not be started.</exception>
    public static BusyProcesses Start(int count)
    {
        var started = new BusyProcesses();
        try
        {
            for (int i = 0; i < count; i++)
                started._processes.Add(ThisTool.Start(Argument));
            if (started._processes.Any(p => p.StandardOutput.ReadLine() != Ready))
                throw new IOException("a busy process ended immediately");
            return started;
        }
        catch (IOException e)
        {
            started.Dispose();
            throw new RowSkippedException($"busy processes cannot be started here: {e.Message}", e);
        }
        catch
        {
            started.Dispose();
            throw;
        }
    }

    /// <summary>Computes in this process until standard input ends.</summary>
    /// <returns>The exit code.</returns>
    public static int Run()
    {
        var computing = new Thread(static () =>
        {
            double value = 1;
            while (true)
                value = Math.Sqrt(value + 1);
        })
        {
            IsBackground = true,
        };
        computing.Start();
        Console.WriteLine(Ready);
        using Stream input = Console.OpenStandardInput();
        Span<byte> buffer = stackalloc byte[1];
        while (input.Read(buffer) > 0)
        {
        }
        return 0;
    }

    public void Dispose()
    {
        foreach (Process process in _processes)
        {
            process.Kill();
            process.WaitForExit();
            process.Dispose();
        }
        _processes.Clear();
    }
}
