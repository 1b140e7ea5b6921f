namespace Sluice.Cli.Programs.Examples;

/// <summary>The source code of the methods of <see cref="ReadCases"/> and <see cref="WriteCases"/>, which is part of the tool.</summary>
internal static class ExampleCode
{
    /// <summary>Returns the source code of a case with its description.</summary>
    /// <param name="name">The name of the case, such as read-byte-file-stream for ReadByteFileStream.</param>
    public static string Of(string name)
    {
        string file = name.StartsWith("read", StringComparison.Ordinal) ? "examples/ReadCases.cs" : "examples/WriteCases.cs";
        using Stream resource = typeof(ExampleCode).Assembly.GetManifestResourceStream(file)
            ?? throw new InvalidOperationException($"{file} is not in the tool");
        using var reader = new StreamReader(resource);
        string text = reader.ReadToEnd().ReplaceLineEndings("\n");
        string method = name.Replace("-", "", StringComparison.Ordinal);
        int at = text.IndexOf($" {method}(", StringComparison.OrdinalIgnoreCase);
        int begin = text.LastIndexOf("/// <summary>", at, StringComparison.Ordinal);
        int end = text.IndexOf("\n    }\n", at, StringComparison.Ordinal);
        return text[begin..end].Replace("\n    ", "\n", StringComparison.Ordinal) + "\n}\n";
    }

    /// <summary>Returns the first sentence of the description of a case.</summary>
    public static string SummaryOf(string name) => Of(name).Split('\n')
        .First(l => l.StartsWith("/// ", StringComparison.Ordinal) && !l.Contains('<', StringComparison.Ordinal))["/// ".Length..];
}
