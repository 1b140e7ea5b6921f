using Sluice.Faults.Child.Commands;
using Sluice.Faults.Child.Fuse;

// One process for one thing that would harm the test's own: refusals, a violent end, another user.
return args switch
{
    ["hello"] => Say("hello"),
    ["refuse", string scenario, string folder] => await RefuseCommand.RunAsync(scenario, folder),
    ["engine", string folder] => EngineCommand.Run(folder),
    ["durable", string path, string caching, string way] =>
        await DurableCommand.RunAsync(path, Enum.Parse<Sluice.FileCaching>(caching), way),
    ["replace", string path, string firstVersion] => await ReplaceCommand.RunAsync(path, int.Parse(firstVersion)),
    ["copy", string folder, string method] => await CopyCommand.RunAsync(folder, Enum.Parse<Sluice.CopyMethod>(method)),
    ["copy-tree", string folder] => await CopyTreeCommand.RunAsync(folder),
    ["once", "replace", string path] => await OnceCommand.RunAsync(() => Sluice.SluiceFile.ReplaceAtomicallyAsync(path, "new")),
    ["once", "copy", string source, string target] => await OnceCommand.RunAsync(() => OnceCommand.CopyAsync(source, target)),
    ["once", "plain", string source, string target] => await OnceCommand.RunAsync(() => OnceCommand.CopyPlainAsync(source, target)),
    ["once", "closed", string source, string target] => await OnceCommand.RunAsync(() => OnceCommand.CopyClosedAsync(source, target)),
    ["once", "verify", string source, string target] => await OnceCommand.RunAsync(() => OnceCommand.VerifyAsync(source, target)),
    ["calls", string path, string side] => CallsCommand.Run(path, side),
    ["fuse", string folder, string fault] => new FuseServer(Enum.Parse<FuseFault>(fault)).Run(folder),
    _ => Usage(),
};

static int Say(string word)
{
    Console.WriteLine(word);
    return 0;
}

static int Usage()
{
    Console.Error.WriteLine("hello | refuse SCENARIO FOLDER | engine FOLDER | "
        + "durable PATH CACHING append|write | replace PATH VERSION | copy FOLDER METHOD | copy-tree FOLDER | "
        + "once replace PATH | once copy|plain|closed|verify SOURCE TARGET | calls PATH sluice|net | fuse FOLDER FAULT");
    return 2;
}
