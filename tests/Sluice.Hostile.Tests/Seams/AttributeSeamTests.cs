using Sluice.Uring;

namespace Sluice.Hostile.Tests.Seams;

/// <summary>Extended attributes that cannot be listed or read at one moment are kept all the same, or the caller hears of it.</summary>
public sealed class AttributeSeamTests : HostileTests
{
    private const string Name = "user.a";
    private static readonly byte[] Value = "kept"u8.ToArray();

    /// <summary>Somebody gives the file one more between the two calls.</summary>
    [SkippableFact]
    public async Task A_list_that_has_grown_is_asked_for_again()
    {
        string source = NewSource();
        string target = Temp.NewPath();
        int lists = 0;
        SystemCallFaults.Use((call, _, _) => call == "flistxattr" && Interlocked.Increment(ref lists) == 2 ? -Errno.ERANGE : 0);
        await SluiceFile.CopyAsync(source, target, new CopyOptions { PreserveMetadata = true });
        SystemCallFaults.Use(null);
        lists.ShouldBeGreaterThan(2);
        Native.GetAttribute(target, Name).ShouldBe(Value);
    }

    /// <summary>As a server of FUSE may say for ever.</summary>
    [SkippableFact]
    public async Task A_list_that_grows_without_end_is_an_error()
    {
        string source = NewSource();
        SystemCallFaults.Use((call, _, _) => call == "flistxattr" ? -Errno.ERANGE : 0);
        Exception? error = null;
        await Watchdog.EndsAsync(
            async () => error = await Record.ExceptionAsync(() =>
                SluiceFile.CopyAsync(source, Temp.NewPath(), new CopyOptions { PreserveMetadata = true })),
            "the copy");
        error.ShouldBeAssignableTo<IOException>();
    }

    [SkippableTheory]
    [InlineData("flistxattr", false)]
    [InlineData("flistxattr", true)]
    [InlineData("fgetxattr", false)]
    [InlineData("fgetxattr", true)]
    public async Task What_cannot_be_read_is_not_taken_for_what_is_not_there(string failing, bool isReplacement)
    {
        int failed = 0;
        int at = 0;
        bool hasStruck = true;
        while (hasStruck)
        {
            at++;
            string source = NewSource();
            string target = isReplacement ? source : Temp.NewPath();
            int calls = 0;
            SystemCallFaults.Use((call, _, _) => call == failing && Interlocked.Increment(ref calls) == at ? -Errno.EIO : 0);
            Exception? error = await Record.ExceptionAsync(() => isReplacement
                ? SluiceFile.ReplaceAtomicallyAsync(source, "new"u8.ToArray())
                : SluiceFile.CopyAsync(source, target, new CopyOptions { PreserveMetadata = true }));
            SystemCallFaults.Use(null);
            hasStruck = calls >= at;
            failed += error is null ? 0 : 1;
            if (error is null)
            {
                Native.GetAttribute(target, Name).ShouldBe(Value, $"call {at}");
            }
            else
            {
                error.ShouldBeAssignableTo<IOException>();
                Native.GetAttribute(source, Name).ShouldBe(Value, $"call {at}");
            }
        }

        failed.ShouldBeGreaterThan(0);
    }

    private string NewSource()
    {
        Skip.IfNot(OperatingSystem.IsLinux(), "the seam is in Linux's calls");
        string source = Temp.NewFile("old"u8.ToArray());
        Skip.If(Native.SetAttribute(source, Name, Value) != 0, "this file system has no attributes for users");
        return source;
    }
}
