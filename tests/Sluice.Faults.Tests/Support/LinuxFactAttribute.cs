using Xunit;

namespace Sluice.Faults.Tests.Support;

/// <summary>A test of Linux's system calls, which is skipped elsewhere.</summary>
public sealed class LinuxFactAttribute : SkippableFactAttribute
{
    public LinuxFactAttribute() => Skip = LinuxTheoryAttribute.Reason;
}

/// <summary>A theory about Linux's system calls, which is skipped elsewhere.</summary>
public sealed class LinuxTheoryAttribute : SkippableTheoryAttribute
{
    public LinuxTheoryAttribute() => Skip = Reason;

    internal static string? Reason => OperatingSystem.IsLinux() ? null : "the system calls are Linux's";
}
