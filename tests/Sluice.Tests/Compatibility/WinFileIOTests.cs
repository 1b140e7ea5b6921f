using System.Reflection;
using System.Runtime.InteropServices;
using System.Runtime.Versioning;
using Sluice.Classic;
using Sluice.Kernel;

namespace Sluice.Tests.Compatibility;

[UnsupportedOSPlatform("windows")]
public sealed class WinFileIOTests : IDisposable
{
    private const int Block = 65_536;
    private const int BadDescriptor = 9;

    /// <summary>Around the block of ReadBlocks and WriteBlocks, and around nothing.</summary>
    public static TheoryData<int> Lengths => [0, 1, 4095, Block - 1, Block, Block + 1, (3 * Block) - 1, 3 * Block, 1_000_003];

    private readonly TempFolder _temp = new();

    public void Dispose() => _temp.Dispose();

    /// <summary>The code of the package's README.</summary>
    [Fact]
    public void Lines_of_a_file_are_counted()
    {
        string path = _temp.NewFile(200_000);
        byte[] buffer = new byte[65_536];
        using WinFileIO file = new(buffer);
        file.OpenForReading(path);
        long lines = 0;
        for (int read = file.Read(buffer.Length); read > 0; read = file.Read(buffer.Length))
        {
            lines += buffer.AsSpan(0, read).Count((byte)'\n');
        }

        lines.ShouldBe(Bytes.Pattern(200_000).Count(b => b == '\n'));
    }

    [Theory]
    [MemberData(nameof(Lengths))]
    public void Each_way_of_reading_gives_the_file_to_the_byte(int length)
    {
        string path = _temp.NewFile(length);
        byte[] buffer = new byte[length + 10];
        using WinFileIO file = new(buffer);
        file.OpenForReading(path);
        file.Read(buffer.Length).ShouldBe(length);
        buffer.AsMemory(0, length).ShouldBeBytes(Bytes.Pattern(length));
        buffer.AsSpan(length).ToArray().ShouldAllBe(b => b == 0);
        file.Read(buffer.Length).ShouldBe(0);

        file.OpenForReading(path);
        file.ReadBlocks(length / 2).ShouldBe(length / 2);
        file.ReadBlocks(buffer.Length).ShouldBe(length - (length / 2));
        buffer.AsMemory(0, length - (length / 2)).ShouldBeBytes(Bytes.Pattern(length - (length / 2), length / 2));
        file.ReadBlocks(buffer.Length).ShouldBe(0);

        byte[] whole = new byte[length];
        file.PinBuffer(whole);
        file.OpenForReading(path);
        file.ReadUntilEOF().ShouldBe(length);
        whole.ShouldBeBytes(Bytes.Pattern(length));
        file.ReadUntilEOF().ShouldBe(0);
    }

    [Theory]
    [InlineData(1)]
    [InlineData(Block)]
    [InlineData(1_000_003)]
    public void ReadUntilEOF_of_one_byte_too_many_throws_and_can_be_gone_on_from(int length)
    {
        byte[] buffer = new byte[length - 1];
        string path = _temp.NewFile(length);
        using WinFileIO file = new(buffer);
        file.OpenForReading(path);
        string message = Should.Throw<ApplicationException>(() => file.ReadUntilEOF()).Message;
        message.ShouldContain(path);
        message.ShouldContain("larger than the pinned buffer");
        buffer.ShouldBeBytes(Bytes.Pattern(length - 1));
        byte[] rest = new byte[8];
        file.PinBuffer(rest);
        file.ReadUntilEOF().ShouldBe(1);
        rest[0].ShouldBe(Bytes.Pattern(length)[^1]);
    }

    [Theory]
    [MemberData(nameof(Lengths))]
    public void Write_and_WriteBlocks_write_what_is_in_the_buffer_and_go_on_behind_it(int length)
    {
        string path = _temp.NewPath();
        byte[] buffer = Bytes.Pattern(length);
        using WinFileIO file = new(buffer);
        file.OpenForWriting(path);
        file.Write(length).ShouldBe(length);
        file.WriteBlocks(length).ShouldBe(length);
        file.Write(length / 3).ShouldBe(length / 3);
        file.Close().ShouldBeTrue();
        File.ReadAllBytes(path).ShouldBeBytes([.. buffer, .. buffer, .. buffer.AsSpan(0, length / 3)]);
    }

    [Fact]
    public void A_missing_file_is_told_in_the_words_of_the_operating_system()
    {
        string missing = Path.Combine(_temp.Root, "missing", "file");
        using WinFileIO file = new(new byte[1]);
        ApplicationException read = Should.Throw<ApplicationException>(() => file.OpenForReading(missing));
        read.Message.ShouldContain(missing);
        read.Message.ShouldContain(Marshal.GetPInvokeErrorMessage(2));
        read.InnerException.ShouldBeOfType<DirectoryNotFoundException>();
        Should.Throw<ApplicationException>(() => file.OpenForReading(_temp.NewPath())).Message
            .ShouldContain(Marshal.GetPInvokeErrorMessage(2));
        Should.Throw<ApplicationException>(() => file.OpenForWriting(missing)).Message.ShouldContain(Marshal.GetPInvokeErrorMessage(2));
        Should.Throw<ApplicationException>(() => file.OpenForWriting(_temp.Root)).Message.ShouldContain(_temp.Root);
        Should.Throw<ApplicationException>(() => file.OpenForReading(""));
        Should.Throw<ApplicationException>(() => file.OpenForReading("a\0b"));
        Should.Throw<ArgumentNullException>(() => file.OpenForReading(null!));
        Should.Throw<ArgumentNullException>(() => file.OpenForWriting(null!));
    }

    [Fact]
    public void Transfers_before_a_file_is_open_throw()
    {
        using WinFileIO file = new(new byte[10]);
        ShouldAllThrow(file, "needs a file");
        file.OpenForReading(_temp.NewFile(10));
        file.Close().ShouldBeTrue();
        ShouldAllThrow(file, "needs a file");
        Should.Throw<ApplicationException>(() => file.OpenForReading(_temp.NewPath()));
        ShouldAllThrow(file, "needs a file");
    }

    [Fact]
    public void Transfers_without_a_buffer_throw_until_one_is_pinned()
    {
        using WinFileIO file = new();
        file.OpenForReading(_temp.NewFile(10));
        ShouldAllThrow(file, "needs a buffer");
        byte[] buffer = new byte[10];
        file.PinBuffer(buffer);
        file.Read(4).ShouldBe(4);
        file.UnpinBuffer();
        file.UnpinBuffer();
        ShouldAllThrow(file, "needs a buffer");
        file.PinBuffer(buffer);
        file.ReadUntilEOF().ShouldBe(6);
        buffer.AsMemory(0, 6).ShouldBeBytes(Bytes.Pattern(6, 4));
    }

    [Fact]
    public void A_file_is_read_only_if_it_was_opened_for_reading_and_written_only_if_for_writing()
    {
        string path = _temp.NewFile(4);
        using WinFileIO file = new(new byte[4]);
        file.OpenForReading(path);
        Should.Throw<ApplicationException>(() => file.Write(1)).Message.ShouldContain(path);
        Should.Throw<ApplicationException>(() => file.WriteBlocks(1));
        file.OpenForWriting(path);
        Should.Throw<ApplicationException>(() => file.Read(1)).Message.ShouldContain(path);
        Should.Throw<ApplicationException>(() => file.ReadBlocks(1));
        Should.Throw<ApplicationException>(() => file.ReadUntilEOF());
    }

    [SkippableFact]
    public void A_full_disk_is_told_in_the_words_of_the_operating_system()
    {
        Skip.IfNot(File.Exists("/dev/full"), "there is no /dev/full here");
        using WinFileIO file = new(new byte[Block * 2]);
        file.OpenForWriting("/dev/full");
        Should.Throw<ApplicationException>(() => file.Write(10)).Message.ShouldContain("No space left on device");
        Should.Throw<ApplicationException>(() => file.WriteBlocks(Block * 2)).Message.ShouldContain("/dev/full");
    }

    [SkippableFact]
    public async Task A_pipe_is_read_to_its_end()
    {
        string path = _temp.NewFifo();
        byte[] buffer = new byte[200_000];
        Task writing = Task.Run(() => File.WriteAllBytes(path, Bytes.Pattern(150_000)));
        using WinFileIO file = new(buffer);
        file.OpenForReading(path);
        file.ReadBlocks(Block + 1).ShouldBe(Block + 1);
        buffer.AsMemory(0, Block + 1).ShouldBeBytes(Bytes.Pattern(Block + 1));
        file.ReadUntilEOF().ShouldBe(150_000 - Block - 1);
        buffer.AsMemory(0, 150_000 - Block - 1).ShouldBeBytes(Bytes.Pattern(150_000 - Block - 1, Block + 1));
        await writing;
    }

    [Fact]
    public void Opening_another_file_closes_the_first()
    {
        string first = _temp.NewPath();
        using WinFileIO file = new(Bytes.Pattern(10));
        file.OpenForWriting(first);
        file.Write(10);
        file.OpenForReading(first);
        file.Read(10).ShouldBe(10);
        file.OpenForWriting(first);
        new FileInfo(first).Length.ShouldBe(0);
        file.Close().ShouldBeTrue();

        // Nobody holds it any more.
        using FileStream alone = new(first, FileMode.Open, FileAccess.ReadWrite, FileShare.None);
    }

    [Fact]
    public void Disposed_it_is_of_no_more_use_and_can_be_disposed_again()
    {
        WinFileIO file = new(new byte[1]);
        file.Close().ShouldBeTrue();
        file.OpenForReading(_temp.NewFile(1));
        file.Dispose();
        file.Dispose();
        file.Close().ShouldBeTrue();
        file.UnpinBuffer();
        Should.Throw<ObjectDisposedException>(() => file.Read(1));
        Should.Throw<ObjectDisposedException>(() => file.PinBuffer(new byte[1]));
        Should.Throw<ObjectDisposedException>(() => file.OpenForReading("x"));
        Should.Throw<ObjectDisposedException>(() => file.OpenForWriting("x"));
    }

    /// <summary>As on a network file system that writes back at close, and cannot; here it is a descriptor that is none.</summary>
    [SkippableTheory]
    [InlineData(false)]
    [InlineData(true)]
    public void Opening_the_next_file_tells_what_closing_the_one_before_says(bool forWriting)
    {
        Skip.IfNot(Libc.IsSupported, "only Linux is asked");
        (string first, string next) = (_temp.NewPath(), _temp.NewFile(10));
        using WinFileIO file = new(new byte[10]);
        file.OpenForWriting(first);
        FieldInfo open = typeof(WinFileIO).GetField("_file", BindingFlags.Instance | BindingFlags.NonPublic)!;
        ((SluiceHandle)open.GetValue(file)!).Dispose();
        using Microsoft.Win32.SafeHandles.SafeFileHandle none = new(0x3FFF_FFFF, ownsHandle: false);
        open.SetValue(file, SluiceHandle.FromSafeFileHandle(none, FileAccess.Write, ownsHandle: false));

        Action opens = forWriting ? () => file.OpenForWriting(next) : () => file.OpenForReading(next);
        string message = Should.Throw<ApplicationException>(opens).Message;
        message.ShouldContain($"Closing '{first}' failed");
        message.ShouldContain(Marshal.GetPInvokeErrorMessage(BadDescriptor));
        ShouldAllThrow(file, "needs a file");
        new FileInfo(next).Length.ShouldBe(10);
        file.OpenForReading(next);
        file.Read(10).ShouldBe(10);
    }

    [Trait("Tier", "nightly")]
    [Fact]
    public void More_than_2_GiB_are_read_by_ReadBlocks_piece_by_piece_and_refused_by_ReadUntilEOF()
    {
        const long length = (long)int.MaxValue + 100;
        string path = _temp.NewFile(0);
        using (FileStream sparse = new(path, FileMode.Open))
        {
            sparse.SetLength(length);
            sparse.Position = length - 3;
            sparse.Write(Bytes.Pattern(3));
        }

        byte[] buffer = new byte[1 << 20];
        using WinFileIO file = new(buffer);
        file.OpenForReading(path);
        Should.Throw<ApplicationException>(() => file.ReadUntilEOF());
        long total = buffer.Length;
        int bytes;
        int last = 0;
        while ((bytes = file.ReadBlocks(buffer.Length)) > 0)
        {
            total += bytes;
            last = bytes;
        }

        total.ShouldBe(length);
        buffer.AsMemory(last - 3, 3).ShouldBeBytes(Bytes.Pattern(3));
    }

    private static void ShouldAllThrow(WinFileIO file, string words)
    {
        foreach (Action call in (Action[])
            [() => file.Read(1), () => file.ReadUntilEOF(), () => file.ReadBlocks(1), () => file.Write(1), () => file.WriteBlocks(1)])
        {
            Should.Throw<ApplicationException>(call).Message.ShouldContain(words);
        }
    }
}
