namespace Sluice.Log.Tests.Support;

/// <summary>Tests of what only Linux has: its system calls, which a test can make fail, its locks and its permissions.</summary>
internal static class Linux
{
    public static void OrSkip() => Skip.IfNot(OperatingSystem.IsLinux(), "It is about Linux's calls, locks or permissions.");

    /// <summary>Calls of root alone: to give files away, or to set attributes.</summary>
    public static void RootOrSkip() => Skip.IfNot(OperatingSystem.IsLinux() && Environment.IsPrivilegedProcess, "Only root on Linux can do this.");
}
