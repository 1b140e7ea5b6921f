namespace Sluice;

/// <summary>Sees a submission's result before the operation does: a decorator's way to change, delay or reorder it.</summary>
internal interface IIoInterceptor
{
    /// <summary>Called once; must lead to one call of <see cref="IoOperation.Complete"/>, now or later.</summary>
    void OnCompleted(IoOperation operation, int result);
}
