using Shouldly;
using Sluice.Cli.Terminal;
using Sluice.Cli.Tests.Support;
using Xunit;

namespace Sluice.Cli.Tests.Terminal;

public sealed class ErrorTextTests : FolderTest
{
    [Fact]
    public void What_dotnet_says_of_files_becomes_the_path_and_the_systems_reason()
    {
        Said(() => File.OpenRead(Folder["a"])).ShouldBe($"{Folder["a"]}: no such file");
        Said(() => File.OpenRead(Folder["a/b"])).ShouldBe($"{Folder["a/b"]}: no such file or directory");
        using FileStream open = new(Folder["b"], FileMode.CreateNew, FileAccess.Write, FileShare.None);
        Said(() => File.OpenRead(Folder["b"])).ShouldBe($"{Folder["b"]}: in use by another process");
        Said(() => new FileStream(Folder["b"], FileMode.CreateNew).Dispose()).ShouldBe($"{Folder["b"]}: file exists");
    }

    /// <summary>.NET says "denied" of a file that nobody may change, too (chattr +i).</summary>
    [Fact]
    public void A_reason_inside_an_exception_is_the_one_that_is_told() =>
        ErrorText.Of(new UnauthorizedAccessException("Access to the path '/a' is denied.", new IOException("Operation not permitted")))
            .ShouldBe("/a: operation not permitted");

    [Theory]
    [InlineData("No space left on device : '/x/y'", "/x/y: no space left on device")]
    [InlineData("Read-only file system : '/x'", "/x: read-only file system")]
    [InlineData("Access to the path '/it's' is denied.", "/it's: permission denied")]
    [InlineData("Copying '/a' failed: it is a folder.", "/a: it is a folder")]
    [InlineData("Copying '/it's' to '/b' failed: the disk is full (errno 28).", "/it's -> /b: the disk is full")]
    [InlineData("Opening the source '/a' failed: Permission denied (errno 13).", "/a: permission denied")]
    [InlineData("Reading '/a' at offset 5 failed: Input/output error (errno 5).", "/a at offset 5: input/output error")]
    [InlineData("Copying '/a' to '/b' by Reflink is not possible here: Operation not supported (errno 95).",
        "/a -> /b: reflink: operation not supported")]
    [InlineData("Appending to the log '/l' failed: Writing '/l/1.slog' at offset 7 failed: No space left on device (errno 28)",
        "/l/1.slog at offset 7: no space left on device")]
    [InlineData("Listing the extents of '/a' is not supported: the file system has no FIEMAP.", "/a: the file system has no FIEMAP")]
    public void A_sentence_with_a_path_becomes_the_path_and_the_reason(string message, string said) =>
        ErrorText.Of(message).ShouldBe(said);

    [Theory]
    [InlineData("note: 'x'")]
    [InlineData("")]
    public void Other_sentences_stay(string message) => ErrorText.Of(message).ShouldBe(message);

    private static string Said(Action fails)
    {
        try
        {
            fails();
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            return ErrorText.Of(e);
        }
        throw new InvalidOperationException("it did not fail");
    }
}
