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
    /// Asks the user of each copy, unless the command line says it: all of them before anything is copied, since a signal ends the process
    /// while a question waits for its answer. Of two copies to one place only the first can be made, and is asked about.
    /// </summary>
    public static CopyConsent[] AskAll(CopyPair[] copies, CopyCommandOptions options, TerminalStreams terminal)
    {
        var targets = new HashSet<string>(StringComparer.Ordinal);
        return Array.ConvertAll(copies, c => Ask(c.Source, c.Target, targets.Add(Path.GetFullPath(c.Target)), options, terminal));
    }

    /// <summary>Returns true if the target may be replaced. The copy of a tree reports each existing file.</summary>
    /// <exception cref="IOException">It is there, and nobody agreed.</exception>
    public bool Require() => _refusal is null ? _mayReplace : throw _refusal;

    private static CopyConsent Ask(string source, string target, bool isFirst, CopyCommandOptions options, TerminalStreams terminal)
    {
        bool mayReplace = options.Force || options.Update;
        // The copy reports a target that is the source.
        if (mayReplace || !isFirst || !File.Exists(target) || !File.Exists(source) || Path.GetFullPath(source) == Path.GetFullPath(target))
            return new CopyConsent(mayReplace, refusal: null);
        // The copy refuses a target that it cannot replace, and states the reason.
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
            // Thrown when this copy begins: the other copies do not depend on it.
            return new CopyConsent(mayReplace: false, e);
        }
    }
}
