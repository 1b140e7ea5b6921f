using Sluice.Cli.Programs.Copy;
using Sluice.Cli.Terminal;

namespace Sluice.Cli.Commands;

/// <summary>The consent to replace the existing target of a copy.</summary>
internal sealed class CopyConsent
{
    private readonly bool _mayReplace;
    private readonly Exception? _refusal;

    private CopyConsent(bool mayReplace, Exception? refusal)
    {
        _mayReplace = mayReplace;
        _refusal = refusal;
    }

    /// <summary>
    /// Asks the user about each copy unless the command line allows replacing files. All questions precede the first copy,
    /// since a signal ends the process while a question waits for its answer. Only the first of several copies to one target is asked
    /// about, because the others are refused.
    /// </summary>
    public static CopyConsent[] AskAll(CopyPair[] copies, CopyCommandOptions options, TerminalStreams terminal)
    {
        var targets = new HashSet<string>(StringComparer.Ordinal);
        return Array.ConvertAll(copies, c => Ask(c.Source, c.Target, targets.Add(Path.GetFullPath(c.Target)), options, terminal));
    }

    /// <summary>Returns true if the target may be replaced. The copy of a tree reports each existing file.</summary>
    /// <exception cref="IOException">The target exists, and the user did not consent to replace it.</exception>
    public bool Require() => _refusal is null ? _mayReplace : throw _refusal;

    private static CopyConsent Ask(string source, string target, bool isFirst, CopyCommandOptions options, TerminalStreams terminal)
    {
        bool mayReplace = options.Force || options.Update;
        // There is no question if source and target are the same file, because the copy reports this error.
        if (mayReplace || !isFirst || !File.Exists(target) || !File.Exists(source) || Path.GetFullPath(source) == Path.GetFullPath(target))
            return new CopyConsent(mayReplace, refusal: null);
        // There is no question if the target cannot be replaced, because the copy reports the reason.
        if (!CopyPlan.IsReplaceable(source, isLink: options.Recursive && new FileInfo(source).LinkTarget is not null, target))
            return new CopyConsent(mayReplace, refusal: null);
        try
        {
            string what = $"{target} exists ({ByteSize.Format(new FileInfo(target).Length)})";
            if (!terminal.IsInputTerminal)
                throw new IOException($"{what}: replacing it needs --force");
            return terminal.Confirm($"{what}. Replace it?")
                ? new CopyConsent(mayReplace: true, refusal: null)
                : throw new IOException($"{target} left as it was");
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            // Require throws the exception when this copy begins, because the other copies do not depend on it.
            return new CopyConsent(mayReplace: false, e);
        }
    }
}
