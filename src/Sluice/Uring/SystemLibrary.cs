namespace Sluice.Uring;

/// <summary>The C library of Linux.</summary>
internal static class SystemLibrary
{
    /// <summary>
    /// The exact file name, which musl accepts too: for "libc", the runtime first tries libc.so, liblibc.so and libc in each folder, and
    /// reads the linker script libc.so of a machine with a compiler.
    /// </summary>
    public const string Name = "libc.so.6";
}
