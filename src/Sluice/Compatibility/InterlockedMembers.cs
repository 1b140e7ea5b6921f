using System.Runtime.CompilerServices;

namespace Sluice.Compatibility;

/// <summary>What Interlocked of .NET 8 lacks: booleans and enumerations.</summary>
internal static class InterlockedMembers
{
    extension(Interlocked)
    {
        /// <summary>For a field of an object: the four bytes that it lies in are compared and exchanged.</summary>
        public static bool Exchange(ref bool location, bool value)
        {
            // Objects move by multiples of four bytes only: where in its word the field lies stays the same.
            ref byte place = ref Unsafe.As<bool, byte>(ref location);
            int at = (int)Unsafe.ByteOffset(ref Unsafe.NullRef<byte>(), ref place) & (sizeof(int) - 1);
            ref int word = ref Unsafe.As<byte, int>(ref Unsafe.SubtractByteOffset(ref place, (nint)at));
            int shift = 8 * (BitConverter.IsLittleEndian ? at : sizeof(int) - 1 - at);
            int mask = byte.MaxValue << shift;
            int set = (value ? 1 : 0) << shift;
            while (true)
            {
                int before = Volatile.Read(ref word);
                if (Interlocked.CompareExchange(ref word, (before & ~mask) | set, before) == before)
                {
                    return (before & mask) != 0;
                }
            }
        }

        /// <summary>For an enumeration of 32 bits.</summary>
        public static T Exchange<T>(ref T location, T value)
            where T : struct, Enum
        {
            int before = Interlocked.Exchange(ref Unsafe.As<T, int>(ref location), Unsafe.As<T, int>(ref value));
            return Unsafe.As<int, T>(ref before);
        }

        /// <inheritdoc cref="Exchange{T}(ref T, T)"/>
        public static T CompareExchange<T>(ref T location, T value, T comparand)
            where T : struct, Enum
        {
            int before = Interlocked.CompareExchange(
                ref Unsafe.As<T, int>(ref location), Unsafe.As<T, int>(ref value), Unsafe.As<T, int>(ref comparand));
            return Unsafe.As<int, T>(ref before);
        }
    }
}
