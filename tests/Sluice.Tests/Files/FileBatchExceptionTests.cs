namespace Sluice.Tests;

/// <summary>What failed and what did not are in the exception, and its message names the first.</summary>
public sealed class FileBatchExceptionTests
{
    [Fact]
    public void The_message_names_the_first_failure_and_how_many_more_there_are()
    {
        FileFailure one = new("/one", new IOException("the disk is full"));
        FileFailure two = new("/two", new UnauthorizedAccessException("not yours"));
        FileFailure three = new("/three", new IOException("gone"));

        new FileBatchException([one]).Message.ShouldBe("'/one' failed: the disk is full");
        new FileBatchException([one, two]).Message.ShouldBe("'/one' failed: the disk is full (and one more file failed)");
        new FileBatchException([one, two, three]).Message.ShouldBe("'/one' failed: the disk is full (and 2 more files failed)");
    }

    [Fact]
    public void It_carries_the_failures_as_they_were_and_the_result_so_far()
    {
        List<FileFailure> failures = [new("/one", new IOException("the disk is full")), new("/two", new IOException("gone"))];
        FileBatchException error = new(failures, filesCompleted: 3, bytesCompleted: 4096);
        failures.Clear();

        error.Failures.Select(failure => failure.Path).ShouldBe(["/one", "/two"]);
        error.InnerException.ShouldBe(error.Failures[0].Error);
        (error.FilesCompleted, error.BytesCompleted).ShouldBe((3L, 4096L));
        Should.Throw<ArgumentException>(() => new FileBatchException([]));
    }
}
