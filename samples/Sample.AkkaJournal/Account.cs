using Akka.Actor;
using Akka.Persistence;

namespace Sample.AkkaJournal;

/// <summary>
/// Adds an amount to an account. The actor does not reply; a later <see cref="GetBalance"/> is answered after the deposit.
/// </summary>
internal sealed record Deposit(long Amount);

/// <summary>Adds several amounts, all of them or none.</summary>
internal sealed record DepositAll(long[] Amounts);

/// <summary>Saves a snapshot, and then deletes the events before it.</summary>
internal sealed record Compact;

/// <summary>Asks for the balance, and for the number of events from which it was recovered.</summary>
internal sealed record GetBalance;

internal sealed record Balance(long Amount, int RecoveredEvents);

/// <summary>An account, whose events are amounts.</summary>
internal sealed class Account(string name) : UntypedPersistentActor
{
    private long _balance;
    private int _recovered;
    private IActorRef? _compactedBy;

    public override string PersistenceId { get; } = $"account-{name}";

    protected override void OnCommand(object message)
    {
        switch (message)
        {
            case Deposit deposit:
                Persist(deposit.Amount, amount => _balance += amount);
                break;
            case DepositAll deposits:
                PersistAll(deposits.Amounts, amount => _balance += amount);
                break;
            case Compact:
                _compactedBy = Sender;
                SaveSnapshot(_balance);
                break;
            case SaveSnapshotSuccess saved:
                DeleteMessages(saved.Metadata.SequenceNr);
                break;
            case DeleteMessagesSuccess:
                _compactedBy.Tell(true);
                break;
            case GetBalance:
                Sender.Tell(new Balance(_balance, _recovered));
                break;
            default:
                Unhandled(message);
                break;
        }
    }

    protected override void OnRecover(object message)
    {
        switch (message)
        {
            case SnapshotOffer offer:
                _balance = (long)offer.Snapshot;
                break;
            case long amount:
                _balance += amount;
                _recovered++;
                break;
        }
    }
}
