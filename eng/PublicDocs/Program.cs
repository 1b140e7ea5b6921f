// Takes what callers cannot name out of a documentation file: a package documents its public members only.
//   PublicDocs ASSEMBLY.dll DOCUMENTATION.xml
using System.Reflection;
using System.Xml.Linq;
using PublicDocs;

if (args is not [string assembly, string documentation])
{
    Console.Error.WriteLine("usage: PublicDocs ASSEMBLY.dll DOCUMENTATION.xml");
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
