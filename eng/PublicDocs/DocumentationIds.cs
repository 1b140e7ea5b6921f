using System.Reflection;

namespace PublicDocs;

/// <summary>The names by which a documentation file calls members, as the C# specification defines them:
/// "M:Sluice.SluiceFile.Copy(System.String)".</summary>
internal static class DocumentationIds
{
    public const BindingFlags Declared =
        BindingFlags.Public | BindingFlags.NonPublic | BindingFlags.Instance | BindingFlags.Static | BindingFlags.DeclaredOnly;

    /// <summary>Of everything that code outside of the assembly may name: public members, and those for derived types.</summary>
    public static HashSet<string> Visible(Assembly assembly)
    {
        HashSet<string> ids = new(StringComparer.Ordinal);
        foreach (Type type in assembly.GetTypes().Where(t => t.IsVisible))
        {
            ids.Add($"T:{Name(type)}");
            foreach (MemberInfo member in type.GetMembers(Declared))
            {
                if (OfVisible(member) is { } id)
                {
                    ids.Add(id);
                }
            }
        }

        return ids;
    }

    /// <summary>Of one such member, or null of what no other code may name.</summary>
    public static string? OfVisible(MemberInfo member) => OfVisible(member, Name(member.DeclaringType!));

    private static string? OfVisible(MemberInfo member, string type) => member switch
    {
        FieldInfo field when field.IsPublic || field.IsFamily || field.IsFamilyOrAssembly => $"F:{type}.{field.Name}",
        PropertyInfo property when IsVisible(property.GetMethod) || IsVisible(property.SetMethod) =>
            $"P:{type}.{Name(property)}{Parameters(property.GetIndexParameters())}",
        EventInfo @event when IsVisible(@event.AddMethod) => $"E:{type}.{@event.Name}",
        MethodBase method when IsVisible(method) =>
            $"M:{type}.{Name(method)}{Arity(method)}{Parameters(method.GetParameters())}{Result(method)}",
        _ => null,
    };

    private static bool IsVisible(MethodBase? method) =>
        method is not null && (method.IsPublic || method.IsFamily || method.IsFamilyOrAssembly);

    private static string Name(MemberInfo member) => member.Name.Replace('.', '#');

    private static string Arity(MethodBase method) => method.IsGenericMethod ? $"``{method.GetGenericArguments().Length}" : "";

    /// <summary>Conversions are told apart by what they give.</summary>
    private static string Result(MethodBase method) =>
        method is MethodInfo { Name: "op_Implicit" or "op_Explicit" } conversion ? $"~{Argument(conversion.ReturnType)}" : "";

    private static string Parameters(ParameterInfo[] parameters) =>
        parameters.Length == 0 ? "" : $"({string.Join(',', parameters.Select(p => Argument(p.ParameterType)))})";

    private static string Name(Type type) => type.FullName!.Replace('+', '.');

    private static string Argument(Type type)
    {
        if (type.IsGenericParameter)
        {
            return $"{(type.DeclaringMethod is null ? "`" : "``")}{type.GenericParameterPosition}";
        }

        if (type.HasElementType)
        {
            string suffix = type.IsByRef ? "@" : type.IsPointer ? "*" : "[]";
            return Argument(type.GetElementType()!) + suffix;
        }

        if (!type.IsGenericType)
        {
            return Name(type);
        }

        // Each enclosing type has its own arguments: "Outer{System.Int32}.Inner".
        string name = type.GetGenericTypeDefinition().FullName!.Replace('+', '.');
        Type[] arguments = type.GetGenericArguments();
        string[] parts = name.Split('.');
        int taken = 0;
        for (int i = 0; i < parts.Length; i++)
        {
            int mark = parts[i].IndexOf('`', StringComparison.Ordinal);
            if (mark < 0)
            {
                continue;
            }

            int count = int.Parse(parts[i].AsSpan(mark + 1), System.Globalization.CultureInfo.InvariantCulture);
            parts[i] = $"{parts[i][..mark]}{{{string.Join(',', arguments[taken..(taken + count)].Select(Argument))}}}";
            taken += count;
        }

        return string.Join('.', parts);
    }
}
