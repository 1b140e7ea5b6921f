namespace Sluice.Compatibility;

/// <summary>The attribute of .NET 9. Whatever trims a program for .NET 8 reads ILLink.Substitutions.xml instead.</summary>
[AttributeUsage(AttributeTargets.Property)]
internal sealed class FeatureSwitchDefinitionAttribute(string switchName) : Attribute
{
    public string SwitchName { get; } = switchName;
}
