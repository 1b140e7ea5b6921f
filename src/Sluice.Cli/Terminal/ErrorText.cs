using System.Text.RegularExpressions;

namespace Sluice.Cli.Terminal;

/// <summary>
/// Formats errors as command-line programs do: the path, then the system's reason. Known messages of .NET and Sluice are converted to this
/// form; others stay unchanged.
/// </summary>
internal static class ErrorText
{
    private const string Denied = "permission denied";

    private static readonly (Regex Sentence, string Reason)[] Sentences =
    [
        (Sentence(@"Access to the path '(?<path>.+)' is denied\."), Denied),
        (Sentence(@"Could not find file '(?<path>.+)'\."), "no such file"),
        (Sentence(@"Could not find a part of the path '(?<path>.+)'\."), "no such file or directory"),
        (Sentence(@"The process cannot access the file '(?<path>.+)' because it is being used by another process\."),
            "in use by another process"),
        (Sentence(@"The file '(?<path>.+)' already exists\."), "file exists"),
    ];

    // The message of .NET for an errno without an exception type: "No space left on device : '/a'".
    private static readonly Regex SystemReason = Sentence("(?<reason>[A-Z][^:']+) : '(?<path>.+)'");

    // Messages of Sluice: "Copying '/a' to '/b' failed: the disk is full.", "Reading '/a' at offset 5 failed: Input/output error (errno
    // 5)".
    private static readonly Regex Failed = Sentence(
        @"[A-Z]\w+( to)?( the \w+)? '(?<path>.+?)'( to '(?<target>.+?)')?(?<where> at .+)? failed: (?<reason>.+?)( \(errno \d+\))?\.?");

    // Messages of Sluice: "Copying '/a' to '/b' by Reflink is not possible here: Operation not supported (errno 95).", "Listing the
    // extents of '/a' is not supported: the file system has no FIEMAP."
    private static readonly Regex Impossible = Sentence(
        @"[A-Z]\w+( the \w+ of)? '(?<path>.+?)'( to '(?<target>.+?)' by (?<way>\w+))? is not (possible here|supported): "
        + @"(?<reason>.+?)( \(errno \d+\))?\.?");

    /// <summary>
    /// Returns the message of an exception. If .NET has one message for several reasons, the inner exception has the reason.
    /// </summary>
    public static string Of(Exception exception)
    {
        // The file system's limit of the file size (EFBIG) is an ArgumentOutOfRangeException, as in .NET.
        string message = exception is ArgumentException { ParamName: { } name }
            ? exception.Message.Replace($" (Parameter '{name}')", "", StringComparison.Ordinal) : exception.Message;
        string text = Of(message);
        return exception is UnauthorizedAccessException { InnerException: IOException { Message.Length: > 0 } inner }
            && text != message && text.EndsWith(Denied, StringComparison.Ordinal)
            ? text[..^Denied.Length] + LowerFirst(inner.Message)
            : text;
    }

    public static string Of(string message)
    {
        foreach ((Regex sentence, string reason) in Sentences)
        {
            if (sentence.Match(message) is { Success: true } match)
                return $"{match.Groups["path"].Value}: {reason}";
        }
        if (Impossible.Match(message) is { Success: true } impossible)
        {
            string target = impossible.Groups["target"] is { Success: true, Value: var name }
                ? $" -> {name}: {LowerFirst(impossible.Groups["way"].Value)}" : "";
            return $"{impossible.Groups["path"].Value}{target}: {LowerFirst(impossible.Groups["reason"].Value)}";
        }
        if (Failed.Match(message) is { Success: true } failed)
        {
            // The reason may be a sentence about another file, such as the segment of a log.
            string reason = failed.Groups["reason"].Value;
            if (Of(reason) is var cause && cause != reason)
                return cause;
            string target = failed.Groups["target"] is { Success: true, Value: var name } ? $" -> {name}" : "";
            return $"{failed.Groups["path"].Value}{target}{failed.Groups["where"].Value}: {LowerFirst(reason)}";
        }
        return SystemReason.Match(message) is { Success: true } system
            ? $"{system.Groups["path"].Value}: {LowerFirst(system.Groups["reason"].Value)}"
            : message;
    }

    private static Regex Sentence(string pattern) =>
        new($"^{pattern}$", RegexOptions.Singleline | RegexOptions.ExplicitCapture, TimeSpan.FromSeconds(1));

    public static string LowerFirst(string text) => char.ToLowerInvariant(text[0]) + text[1..];
}
