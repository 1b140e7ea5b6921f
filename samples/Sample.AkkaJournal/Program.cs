// A journal and a snapshot store for Akka.Persistence over one SluiceLog. README.md says how to use them in another program.
// The program lets 100 accounts persist 100 events each, starts a second actor system that recovers them, and checks the journal.
using System.Diagnostics;
using Akka.Actor;
using Akka.Configuration;
using Sample.AkkaJournal;

const int accounts = 100;
const int events = 100;
string directory = Directory.CreateTempSubdirectory("sample-akka-").FullName;
Config config = ConfigurationFactory.ParseString($$"""
    akka.loglevel = WARNING
    akka.persistence {
      journal.plugin = "akka.persistence.journal.sluice"
      journal.sluice.class = "Sample.AkkaJournal.SluiceJournal, Sample.AkkaJournal"
      snapshot-store.plugin = "akka.persistence.snapshot-store.sluice"
      snapshot-store.sluice.class = "Sample.AkkaJournal.SluiceSnapshotStore, Sample.AkkaJournal"
      sluice.directory = "{{Path.Combine(directory, "log")}}"
    }
    """);
try
{
    await InSystemAsync(async system =>
    {
        IActorRef[] actors = Open(system);
        long began = Stopwatch.GetTimestamp();
        foreach (IActorRef account in actors)
        {
            for (int i = 1; i <= events - 2; i++)
            {
                account.Tell(new Deposit(i));
            }

            account.Tell(new DepositAll([events - 1, events]));
        }

        await ExpectBalancesAsync(actors, recovered: 0);
        Console.WriteLine($"{accounts * events} events were persisted in {Stopwatch.GetElapsedTime(began).TotalMilliseconds:0} ms");
    });
    await InSystemAsync(async system =>
    {
        long began = Stopwatch.GetTimestamp();
        IActorRef[] actors = Open(system);
        await ExpectBalancesAsync(actors, recovered: events);
        Console.WriteLine($"{accounts} accounts were recovered in {Stopwatch.GetElapsedTime(began).TotalMilliseconds:0} ms");
        await Task.WhenAll(actors.Select(static a => a.Ask<bool>(new Compact())));
    });
    await InSystemAsync(static system => ExpectBalancesAsync(Open(system), recovered: 0));
    await InSystemAsync(JournalChecks.WriteAsync);
    await InSystemAsync(JournalChecks.RecoverAsync);
    Console.WriteLine("the journal and the snapshot store are as they should be");
}
finally
{
    Directory.Delete(directory, recursive: true);
}

async Task InSystemAsync(Func<ActorSystem, Task> work)
{
    ActorSystem system = ActorSystem.Create("sample", config);
    await work(system);

    // Closes the log.
    await system.Terminate();
}

static IActorRef[] Open(ActorSystem system) =>
    [.. Enumerable.Range(1, accounts).Select(i => system.ActorOf(Props.Create(() => new Account(i.ToString()))))];

static async Task ExpectBalancesAsync(IActorRef[] actors, int recovered)
{
    foreach (Balance balance in await Task.WhenAll(actors.Select(static a => a.Ask<Balance>(new GetBalance()))))
    {
        if (balance != new Balance(events * (events + 1) / 2, recovered))
        {
            throw new InvalidDataException($"an account has {balance}");
        }
    }
}
