using Sluice.Faults.Child.Commands;
using Sluice.Faults.Child.Fuse;

// One process for one thing that would harm the test's own: refusals, a violent end, appending beside others.
return args switch
{
    ["refuse", string scenario, string folder] => await RefuseCommand.RunAsync(scenario, folder),
    ["engine", string scenario, string folder] => await EngineCommand.RunAsync(scenario, folder),
    ["append", string path, string caching, string id, string count] =>
        AppendCommand.Run(path, Enum.Parse<Sluice.FileCaching>(caching), int.Parse(id), int.Parse(count)),
    ["durable", string path, string caching, string way] =>
        await DurableCommand.RunAsync(path, Enum.Parse<Sluice.FileCaching>(caching), way),
    ["fork", string folder] => await ForkCommand.RunAsync(folder),
    ["exit", string way, string folder] => await ExitCommand.RunAsync(way, folder),
    ["replace", string path, string firstVersion] => await ReplaceCommand.RunAsync(path, int.Parse(firstVersion)),
    ["copy", string folder, string method] => await CopyCommand.RunAsync(folder, Enum.Parse<Sluice.CopyMethod>(method)),
    ["copy-tree", string folder] => await CopyTreeCommand.RunAsync(folder),
    ["once", "replace", string path] => await OnceCommand.RunAsync(() => Sluice.SluiceFile.ReplaceAtomicallyAsync(path, "new")),
    ["once", "copy", string source, string target] => await OnceCommand.RunAsync(() => OnceCommand.CopyAsync(source, target)),
    ["once", "plain", string source, string target] => await OnceCommand.RunAsync(() => OnceCommand.CopyPlainAsync(source, target)),
    ["once", "closed", string source, string target] => await OnceCommand.RunAsync(() => OnceCommand.CopyClosedAsync(source, target)),
    ["once", "verify", string source, string target] => await OnceCommand.RunAsync(() => OnceCommand.VerifyAsync(source, target)),
    ["hostile", "planted", string folder, string outside] => HostileCommand.Run(folder, outside, isSticky: true),
    ["hostile", "swapped", string folder, string outside] => HostileCommand.Run(folder, outside, isSticky: false),
    ["fuse", string folder, string fault] => new FuseServer(Enum.Parse<FuseFault>(fault)).Run(folder),
    _ => Usage(),
};

static int Usage()
{
    Console.Error.WriteLine("refuse SCENARIO FOLDER | engine SCENARIO FOLDER | append PATH CACHING ID COUNT | "
        + "durable PATH CACHING append|write | replace PATH VERSION | copy FOLDER METHOD | copy-tree FOLDER | "
        + "fork FOLDER | exit return|exit|handler|thread FOLDER | once replace PATH | "
        + "once copy|plain|closed|verify SOURCE TARGET | hostile planted|swapped FOLDER OUTSIDE | fuse FOLDER FAULT");
    return 2;
}
