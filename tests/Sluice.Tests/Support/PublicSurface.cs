using System.Reflection;

namespace Sluice.Tests.Support;

/// <summary>Prints what an assembly's users can see: one line for each type and member, sorted.</summary>
internal static class PublicSurface
{
    private const BindingFlags Declared =
        BindingFlags.Public | BindingFlags.NonPublic | BindingFlags.Instance | BindingFlags.Static | BindingFlags.DeclaredOnly;

    private static readonly NullabilityInfoContext Nullability = new();

    public static IEnumerable<string> Of(Assembly assembly)
    {
        foreach (Type type in assembly.GetExportedTypes().OrderBy(t => t.FullName, StringComparer.Ordinal))
        {
            yield return Header(type);
            foreach (string member in type.GetMembers(Declared).Select(Line).OfType<string>().Order(StringComparer.Ordinal))
            {
                yield return $"{type.FullName}: {member}";
            }
        }
    }

    private static string Header(Type type)
    {
        string kind = type switch
        {
            { IsEnum: true } => $"enum : {Name(Enum.GetUnderlyingType(type))}",
            { IsInterface: true } => "interface",
            { IsValueType: true } => "struct",
            { IsAbstract: true, IsSealed: true } => "static class",
            { IsAbstract: true } => "abstract class",
            { IsSealed: true } => "sealed class",
            _ => "class",
        };
        IEnumerable<string> bases = type.IsEnum
            ? []
            : type.GetInterfaces().Where(i => i.IsPublic).Select(Name).Order(StringComparer.Ordinal)
                .Prepend(type.BaseType is { } b && b != typeof(object) && b != typeof(ValueType) ? Name(b) : "").Where(n => n.Length > 0);
        string list = string.Join(", ", bases);
        return $"{kind} {type.FullName}{(list.Length > 0 ? $" : {list}" : "")}";
    }

    private static string? Line(MemberInfo member) => member switch
    {
        FieldInfo { IsLiteral: true } f when IsVisible(f) => $"const {Name(f.FieldType)} {f.Name} = {f.GetRawConstantValue()}",
        FieldInfo f when IsVisible(f) && !f.IsSpecialName => $"{Modifiers(f.IsStatic, f.IsFamily)}{Name(f.FieldType)} {f.Name}",
        ConstructorInfo c when IsVisible(c) => $"{Modifiers(false, c.IsFamily)}.ctor({Parameters(c)})",
        PropertyInfo p when (p.GetMethod is { } g && IsVisible(g)) || (p.SetMethod is { } s && IsVisible(s)) => Property(p),
        EventInfo e when e.AddMethod is { } a && IsVisible(a) => $"event {Name(e.EventHandlerType!)} {e.Name}",
        MethodInfo m when IsVisible(m) && (!m.IsSpecialName || m.Name.StartsWith("op_", StringComparison.Ordinal)) =>
            $"{Modifiers(m.IsStatic, m.IsFamily)}{Inheritance(m)}{Return(m)} {m.Name}{Generics(m)}({Parameters(m)})",
        _ => null,
    };

    private static string Property(PropertyInfo property)
    {
        MethodInfo any = property.GetMethod ?? property.SetMethod!;
        string getter = property.GetMethod is { } g && IsVisible(g) ? " get;" : "";
        string setter = property.SetMethod is { } s && IsVisible(s) ? IsInit(s) ? " init;" : " set;" : "";
        string nullable = Nullability.Create(property).ReadState == NullabilityState.Nullable && !property.PropertyType.IsValueType ? "?"
            : "";
        return $"{Modifiers(any.IsStatic, any.IsFamily)}{Inheritance(any)}{Name(property.PropertyType)}{nullable} "
            + $"{property.Name} {{{getter}{setter} }}";
    }

    private static string Return(MethodInfo method)
    {
        string nullable = Nullability.Create(method.ReturnParameter).ReadState == NullabilityState.Nullable
            && !method.ReturnType.IsValueType ? "?" : "";
        return Name(method.ReturnType) + nullable;
    }

    private static string Parameters(MethodBase method) => string.Join(", ", method.GetParameters().Select(p =>
    {
        string nullable = Nullability.Create(p).WriteState == NullabilityState.Nullable && !p.ParameterType.IsValueType ? "?" : "";
        string standard = p.HasDefaultValue ? $" = {p.DefaultValue ?? "default"}" : "";
        return $"{(p.IsOut ? "out " : p.IsIn ? "in " : "")}{Name(p.ParameterType)}{nullable} {p.Name}{standard}";
    }));

    private static string Generics(MethodInfo method) =>
        method.IsGenericMethod ? $"<{string.Join(", ", method.GetGenericArguments().Select(Name))}>" : "";

    private static bool IsInit(MethodInfo setter) =>
        setter.ReturnParameter.GetRequiredCustomModifiers().Contains(typeof(System.Runtime.CompilerServices.IsExternalInit));

    private static string Modifiers(bool isStatic, bool isProtected) => (isProtected ? "protected " : "") + (isStatic ? "static " : "");

    private static string Inheritance(MethodInfo method) => method switch
    {
        { IsAbstract: true } when !method.DeclaringType!.IsInterface => "abstract ",
        { IsVirtual: true } when method.GetBaseDefinition() != method => "override ",
        { IsVirtual: true, IsFinal: false } => "virtual ",
        _ => "",
    };

    private static string Name(Type type)
    {
        if (type.IsByRef)
        {
            return "ref " + Name(type.GetElementType()!);
        }

        if (Nullable.GetUnderlyingType(type) is { } underlying)
        {
            return Name(underlying) + "?";
        }

        if (!type.IsGenericType)
        {
            return type.IsArray ? Name(type.GetElementType()!) + "[]" : type.FullName ?? type.Name;
        }

        // A type within a generic one has that one's arguments, and a name of its own behind them.
        string name = string.Concat((type.GetGenericTypeDefinition().FullName ?? type.Name).Split('`')
            .Select((part, i) => i == 0 ? part : part.TrimStart("0123456789".ToCharArray())));
        return $"{name}<{string.Join(", ", type.GetGenericArguments().Select(Name))}>";
    }

    private static bool IsVisible(MethodBase method) => method.IsPublic || method.IsFamily || method.IsFamilyOrAssembly;

    private static bool IsVisible(FieldInfo field) => field.IsPublic || field.IsFamily || field.IsFamilyOrAssembly;
}
