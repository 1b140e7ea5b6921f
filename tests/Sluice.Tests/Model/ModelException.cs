namespace Sluice.Tests.Model;

/// <summary>File and model disagree, or a step failed: names the seed and the step that bring it about again.</summary>
internal sealed class ModelException(int seed, long step, string what, Exception? inner = null)
    : Exception($"seed {seed}, step {step}: {what}", inner);
