namespace Sluice.Tests.Streams;

/// <summary>One step: plain numbers, so that it can be shrunk, printed and read back.</summary>
/// <param name="Form">Which overload; what it means is the verb's business.</param>
/// <param name="Size">Bytes, or an offset from <paramref name="Anchor"/>.</param>
/// <param name="Count">How often, or how many at once.</param>
/// <param name="Anchor">0 the begin of the file, 1 the position, 2 the end.</param>
internal readonly record struct StreamStep(StreamVerb Verb, int Form, int Size, int Count = 1, int Anchor = 0)
{
    public override string ToString() => $"{Verb}/{Form}/{Size}/{Count}/{Anchor}";

    public static StreamStep Parse(string text)
    {
        string[] parts = text.Split('/');
        return new StreamStep(Enum.Parse<StreamVerb>(parts[0]), int.Parse(parts[1]), int.Parse(parts[2]), int.Parse(parts[3]),
            int.Parse(parts[4]));
    }
}
