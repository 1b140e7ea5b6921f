using System.Reflection;

namespace Sluice.Tests.Streams;

/// <summary>A SluiceStream as a FileStream: <see cref="StreamModelTests"/> compare its results, these its life.</summary>
public sealed class AsFileStreamTests : IDisposable
{
    private readonly TempFolder _temp = new();

    public void Dispose() => _temp.Dispose();

    [Fact]
    public void Every_member_that_can_be_is_the_streams_own()
    {
        // Closing goes through Dispose(bool); what has to do with timeouts throws in every file stream.
        string[] inherited =
        [
            "Close", "get_CanTimeout", "get_ReadTimeout", "set_ReadTimeout", "get_WriteTimeout", "set_WriteTimeout", "Equals", "Finalize",
            "GetHashCode", "ToString", "InitializeLifetimeService", "CreateWaitHandle", "ObjectInvariant",
        ];
        using FileStream stream = Open(_temp.NewFile("x"u8));
        stream.GetType().GetMethods(BindingFlags.Instance | BindingFlags.Public | BindingFlags.NonPublic)
            .Where(m => m.IsVirtual && !m.IsFinal && (m.IsPublic || m.IsFamily || m.IsFamilyOrAssembly))
            .Where(m => m.DeclaringType != stream.GetType()).Select(m => m.Name).Except(inherited).ShouldBeEmpty();
    }

    [Fact]
    public async Task Disposing_it_writes_and_closes_the_stream()
    {
        foreach (bool isAsync in (bool[])[false, true])
        {
            string path = _temp.NewPath();
            SluiceStream own = new(path, FileMode.Create);
            FileStream stream = own.AsFileStream();
            stream.Write("buffered"u8);
            own.Position.ShouldBe(8);
            await stream.CloseAsync(isAsync);

            File.ReadAllText(path).ShouldBe("buffered");
            own.CanWrite.ShouldBeFalse();
            Should.Throw<ObjectDisposedException>(() => stream.WriteByte(1));
            Should.Throw<ObjectDisposedException>(() => own.AsFileStream());
            stream.Dispose();
        }
    }

    [Fact]
    public void A_handle_that_the_stream_does_not_own_stays_open()
    {
        using SluiceHandle handle = SluiceHandle.Open(_temp.NewFile("abc"u8), FileMode.Open, FileAccess.Read);
        using (FileStream stream = new SluiceStream(handle, FileAccess.Read, ownsHandle: false).AsFileStream())
        {
            stream.ReadByte().ShouldBe('a');
        }

        byte[] bytes = new byte[3];
        handle.Read(bytes, 0).ShouldBe(3);
    }

    [Fact]
    public void One_that_is_dropped_closes_nothing_that_others_have_opened()
    {
        string path = _temp.NewFile("abc"u8);
        for (int i = 0; i < 50; i++)
        {
            SluiceStream stream = new(path, FileMode.Open, FileAccess.Read);
            Drop(stream);
            stream.Dispose();
            using SluiceHandle other = SluiceHandle.Open(path, FileMode.Open, FileAccess.Read);
            GC.Collect();
            GC.WaitForPendingFinalizers();
            other.Read(new byte[3], 0).ShouldBe(3);
        }
    }

    [Theory]
    [InlineData(FileCaching.Cached)]
    [InlineData(FileCaching.Uncached)]
    [InlineData(FileCaching.Direct)]
    public void A_constructor_names_the_caching(FileCaching caching)
    {
        string path = _temp.NewPath();
        using (SluiceStream stream = new(path, FileMode.CreateNew, FileAccess.Write, FileShare.None, caching))
        {
            stream.Write("0123456789"u8);
        }

        using SluiceHandle same = SluiceHandle.Open(
            path, new SluiceOptions { Mode = FileMode.Open, Access = FileAccess.Read, Caching = caching });
        using SluiceStream again = new(path, FileMode.Open, FileAccess.Read, FileShare.Read, caching);
        again.SluiceHandle.Caching.ShouldBe(same.Caching);
        again.Length.ShouldBe(10);
        Should.Throw<ArgumentOutOfRangeException>(() =>
            new SluiceStream(path, FileMode.Open, FileAccess.Read, FileShare.Read, (FileCaching)9));
    }

    [System.Runtime.CompilerServices.MethodImpl(System.Runtime.CompilerServices.MethodImplOptions.NoInlining)]
    private static void Drop(SluiceStream stream) => stream.AsFileStream().ReadByte();

    private static FileStream Open(string path) => new SluiceStream(path, FileMode.Open).AsFileStream();
}
