namespace Sluice.Uring.Tests.Support;

/// <summary>The rings that this process has open; the test host's own descriptors come and go.</summary>
internal static class RingDescriptors
{
    public static int Count() => new DirectoryInfo("/proc/self/fd").GetFiles().Count(file => file.LinkTarget == "anon_inode:[io_uring]");
}
