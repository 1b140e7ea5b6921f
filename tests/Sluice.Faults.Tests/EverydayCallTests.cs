using Shouldly;
using Sluice.Faults.Child.Commands;
using Sluice.Faults.Tests.Support;
using Xunit;

namespace Sluice.Faults.Tests;

/// <summary>Small files are opened, read and written with the system calls that System.IO makes, and no others.</summary>
[Trait("Tier", "slow")]
public sealed class EverydayCallTests
{
    [LinuxFact]
    public async Task Everyday_calls_make_no_system_call_that_those_of_System_IO_do_not_make()
    {
        Skip.IfNot(Command.Exists("strace"), "it needs strace");
        string folder = Directory.CreateTempSubdirectory("sluice-calls-").FullName;
        try
        {
            Dictionary<string, string[]> sluice = await TraceAsync(folder, "sluice");
            Dictionary<string, string[]> net = await TraceAsync(folder, "net");
            foreach (string name in CallsCommand.Names)
            {
                // A stream that has written closes a duplicate of its descriptor first: SafeFileHandle ignores the error of close(2).
                string[] forErrors = name == "write-by-stream" ? ["fcntl", "close"] : [];
                string.Join(' ', sluice[name].Order()).ShouldBe(string.Join(' ', net[name].Concat(forErrors).Order()), name);
            }
        }
        finally
        {
            Directory.Delete(folder, recursive: true);
        }
    }

    /// <summary>Returns the names of the system calls of each everyday call that concern its file.</summary>
    private static async Task<Dictionary<string, string[]>> TraceAsync(string folder, string side)
    {
        string path = Path.Combine(folder, "file");
        string trace = Path.Combine(folder, side);
        string[] strace = ["strace", "-f", "-yy", "-e", "trace=%file,%desc", "-o", trace];
        using (ChildProcess child = new(null, strace, ["calls", path, side]))
        {
            await child.FinishAsync();
            Skip.If(child.Errors.Contains("ptrace", StringComparison.Ordinal), $"processes cannot be traced here: {child.Errors.Trim()}");
            child.ExitCode.ShouldBe(0, child.Errors);
        }

        Dictionary<string, string[]> calls = [];
        string? name = null;
        List<string> made = [];
        foreach (string line in await File.ReadAllLinesAsync(trace))
        {
            int mark = line.IndexOf('"' + CallsCommand.Mark, StringComparison.Ordinal);
            if (mark >= 0)
            {
                if (name is not null)
                {
                    calls[name] = [.. made];
                }

                int from = mark + 1 + CallsCommand.Mark.Length;
                string next = line[from..line.IndexOf('"', from)];
                name = next.Length > 0 ? next : null;
                made.Clear();
            }
            else if (line.Contains(path, StringComparison.Ordinal))
            {
                // A line without a name is the second half of a call that another thread's call interrupted.
                string call = line.TrimStart([.. "0123456789 "]);
                if (!call.StartsWith('<'))
                {
                    made.Add(call[..call.IndexOf('(', StringComparison.Ordinal)]);
                }
            }
        }

        return calls;
    }
}
