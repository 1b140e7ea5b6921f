using Xunit;

namespace Sluice.Faults.Tests.Support;

/// <summary>Runs the helper program as nobody, where root runs the tests: root may do anything.</summary>
internal static class OtherUser
{
    private static readonly string[] Nobody = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"];

    /// <summary>What to put before a command; the test is skipped where there is no such user, or he cannot run the program.</summary>
    public static string[] OrSkip()
    {
        Skip.IfNot(OperatingSystem.IsLinux() && Environment.IsPrivilegedProcess, "only root can be another user");
        Skip.IfNot(Command.Exists("setpriv"), "there is no setpriv");
        using ChildProcess child = new(null, Nobody, ["hello"]);
        Skip.If(child.Output.ReadLine() != "hello", $"another user cannot run the helper program here: {child.Errors}");
        return Nobody;
    }
}
