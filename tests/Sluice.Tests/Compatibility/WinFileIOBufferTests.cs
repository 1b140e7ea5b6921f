using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Runtime.Versioning;
using Sluice.Classic;

namespace Sluice.Tests.Compatibility;

/// <summary>The arrays that WinFileIO reads into and writes from: which it takes, how much of them it uses, how long it holds
/// them.</summary>
[UnsupportedOSPlatform("windows")]
public sealed class WinFileIOBufferTests : IDisposable
{
    private readonly TempFolder _temp = new();

    public void Dispose() => _temp.Dispose();

    [Fact]
    public void Arrays_of_anything_without_references_hold_the_bytes_of_the_file()
    {
        RoundTrip("sluice\r\n\u00e9\u4e2d".ToCharArray());
        RoundTrip([1.5, double.NaN, -0.0]);
        RoundTrip([new Pair(7, 'x', new Inner(1.5f)), new Pair(-1, 'y', new Inner(-2f))]);
        RoundTrip([DayOfWeek.Friday, DayOfWeek.Monday]);
    }

    [Fact]
    public void Arrays_of_several_dimensions_are_filled_row_by_row()
    {
        int[,] grid = new int[3, 5];
        byte[] expected = Bytes.Pattern(grid.Length * sizeof(int));
        using WinFileIO file = new(grid);
        file.OpenForReading(_temp.NewFile(expected));
        file.ReadUntilEOF().ShouldBe(expected.Length);
        MemoryMarshal.AsBytes(MemoryMarshal.CreateSpan(ref grid[0, 0], grid.Length)).ToArray().ShouldBeBytes(expected);
        grid[0, 1].ShouldBe(BitConverter.ToInt32(expected, 4));
        grid[1, 0].ShouldBe(BitConverter.ToInt32(expected, 20));

        string copy = _temp.NewPath();
        file.OpenForWriting(copy);
        file.WriteBlocks(expected.Length);
        file.Close().ShouldBeTrue();
        File.ReadAllBytes(copy).ShouldBeBytes(expected);
    }

    [Fact]
    public void Sizes_are_bytes_whatever_the_elements_are()
    {
        long[] buffer = new long[4];
        using WinFileIO file = new(buffer);
        file.OpenForReading(_temp.NewFile(100));
        file.Read(32).ShouldBe(32);
        Should.Throw<ApplicationException>(() => file.Read(33)).Message.ShouldContain("the pinned buffer has 32");
        file.Read(3).ShouldBe(3);
        BitConverter.GetBytes(buffer[0]).ShouldBe([.. Bytes.Pattern(3, 32), .. Bytes.Pattern(5, 3)]);
    }

    [Fact]
    public void Arrays_that_hold_references_are_refused_and_the_buffer_before_stays()
    {
        byte[] buffer = new byte[4];
        using WinFileIO file = new(buffer);
        foreach (Array array in (Array[])[new string[1], new object[1], new int[1][], new Holder[1], new string[2, 2], new Memory<byte>[1]])
        {
            Should.Throw<ArgumentException>(() => new WinFileIO(array)).Message.ShouldContain("holds references");
            Should.Throw<ArgumentException>(() => file.PinBuffer(array));
        }

        Should.Throw<ArgumentNullException>(() => new WinFileIO(null!));
        Should.Throw<ArgumentNullException>(() => file.PinBuffer(null!));
        file.OpenForReading(_temp.NewFile(4));
        file.ReadUntilEOF().ShouldBe(4);
        buffer.ShouldBeBytes(Bytes.Pattern(4));
    }

    [Theory]
    [InlineData(-1)]
    [InlineData(11)]
    [InlineData(int.MaxValue)]
    [InlineData(int.MinValue)]
    public void Sizes_that_the_buffer_has_not_are_refused_and_nothing_moves(int size)
    {
        string path = _temp.NewFile(20);
        byte[] buffer = new byte[10];
        using WinFileIO file = new(buffer);
        file.OpenForReading(path);
        Should.Throw<ApplicationException>(() => file.Read(size));
        Should.Throw<ApplicationException>(() => file.ReadBlocks(size));
        file.Read(10).ShouldBe(10);
        buffer.ShouldBeBytes(Bytes.Pattern(10));
        file.OpenForWriting(path);
        Should.Throw<ApplicationException>(() => file.Write(size));
        Should.Throw<ApplicationException>(() => file.WriteBlocks(size));
        file.Close().ShouldBeTrue();
        new FileInfo(path).Length.ShouldBe(0);
    }

    [Fact]
    public void A_buffer_is_collected_once_it_is_unpinned_replaced_or_forgotten()
    {
        using WinFileIO file = new();
        WeakReference[] buffers = [Pin(file, unpins: true), Pin(file, unpins: false), PinAndForget()];
        file.PinBuffer(new byte[1]);
        Collect();
        buffers.Select(b => b.IsAlive).ShouldBe([false, false, false]);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static WeakReference Pin(WinFileIO file, bool unpins)
    {
        byte[] buffer = new byte[100];
        file.PinBuffer(buffer);
        if (unpins)
        {
            file.UnpinBuffer();
        }

        return new WeakReference(buffer);
    }

    private static void Collect()
    {
        for (int i = 0; i < 3; i++)
        {
            GC.Collect();
            GC.WaitForPendingFinalizers();
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static WeakReference PinAndForget()
    {
        byte[] buffer = new byte[100];
        _ = new WinFileIO(buffer);
        return new WeakReference(buffer);
    }

    private void RoundTrip<T>(T[] values)
        where T : unmanaged
    {
        string path = _temp.NewPath();
        byte[] expected = MemoryMarshal.AsBytes(values.AsSpan()).ToArray();
        using WinFileIO file = new(values);
        file.OpenForWriting(path);
        file.Write(expected.Length).ShouldBe(expected.Length);
        file.OpenForReading(path);
        Array.Clear(values);
        file.ReadUntilEOF().ShouldBe(expected.Length);
        file.Close().ShouldBeTrue();
        File.ReadAllBytes(path).ShouldBeBytes(expected, typeof(T).Name);
        MemoryMarshal.AsBytes(values.AsSpan()).ToArray().ShouldBeBytes(expected, typeof(T).Name);
    }

    private readonly record struct Inner(float Value);

    private readonly record struct Pair(int Number, char Letter, Inner Inner);

    private readonly record struct Holder(int Number, string Text);
}
