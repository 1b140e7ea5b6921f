// Makes the documents of a package.
//   PublicDocs ASSEMBLY.dll DOCUMENTATION.xml    takes what callers cannot name out of it: a package documents its public members only
//   PublicDocs README.md PACKAGE.md              writes the second: the first without links to files beside it, which lead nowhere there
using System.Reflection;
using System.Text.RegularExpressions;
using System.Xml.Linq;
using PublicDocs;

if (args is [string readme, string packaged] && Path.GetExtension(readme) == ".md")
{
    _ = Directory.CreateDirectory(Path.GetDirectoryName(Path.GetFullPath(packaged))!);
    File.WriteAllText(packaged, Regex.Replace(
        File.ReadAllText(readme), @"\[(?<text>[^\]]*)\]\((?<file>[^)#]*)[^)]*\)", WithoutLink,
        RegexOptions.NonBacktracking | RegexOptions.ExplicitCapture));
    return 0;
}

if (args is not [string assembly, string documentation])
{
    Console.Error.WriteLine("usage: PublicDocs ASSEMBLY.dll DOCUMENTATION.xml | PublicDocs README.md PACKAGE.md");
    return 2;
}

HashSet<string> visible = DocumentationIds.Visible(Assembly.LoadFrom(Path.GetFullPath(assembly)));
XDocument document = XDocument.Load(documentation, LoadOptions.PreserveWhitespace);
XElement[] hidden = [.. document.Descendants("member").Where(m => !visible.Contains(m.Attribute("name")!.Value))];
foreach (XElement member in hidden)
{
    // With the line break and the indentation before it.
    (member.PreviousNode as XText)?.Remove();
    member.Remove();
}

if (hidden.Length > 0)
{
    document.Save(documentation, SaveOptions.DisableFormatting);
}

return 0;

static string WithoutLink(Match link)
{
    string file = link.Groups["file"].Value;
    return file.StartsWith("http", StringComparison.Ordinal) ? link.Value : $"{link.Groups["text"].Value} (`{file}`)";
}
