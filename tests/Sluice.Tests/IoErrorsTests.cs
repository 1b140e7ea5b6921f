using Sluice.Errors;
using Sluice.Uring;

namespace Sluice.Tests;

/// <summary>For each error number the exception that .NET throws for it, with the number where .NET has it.</summary>
public sealed class IoErrorsTests
{
    [SkippableTheory]
    [InlineData(Errno.EPERM, typeof(UnauthorizedAccessException))]
    [InlineData(Errno.EACCES, typeof(UnauthorizedAccessException))]
    [InlineData(Errno.EBADF, typeof(UnauthorizedAccessException))]
    [InlineData(Errno.ENOENT, typeof(FileNotFoundException))]
    [InlineData(Errno.ENAMETOOLONG, typeof(PathTooLongException))]
    [InlineData(Errno.EFBIG, typeof(ArgumentOutOfRangeException))]
    [InlineData(Errno.EIO, typeof(IOException))]
    [InlineData(Errno.ENOSPC, typeof(IOException))]
    [InlineData(Errno.EINVAL, typeof(IOException))]
    public void A_transfers_error_has_its_type_its_number_and_its_place(int errno, Type type)
    {
        Skip.IfNot(OperatingSystem.IsLinux(), "numbers of Linux");
        Exception error = IoErrors.Create(errno, IoVerb.Write, "/a/file", 77);
        error.ShouldBeOfType(type);
        foreach (string part in (string[])["Writing", "'/a/file'", "at offset 77", $"errno {errno}"])
        {
            error.Message.ShouldContain(part);
        }

        IoErrors.Create(errno, IoVerb.Write, "/a/file", 0).Message.ShouldContain("at offset 0 ");
        IoErrors.Create(errno, IoVerb.Flush, "/a/file", -1).Message.ShouldNotContain("offset");
        Exception numbered = error.InnerException ?? error;
        if (numbered.GetType() == typeof(IOException))
        {
            numbered.HResult.ShouldBe(errno);
        }
    }
}
