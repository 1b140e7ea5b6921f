using System.Collections.Concurrent;
using Lucene.Net.Store;

namespace Sluice.Lucene;

/// <summary>
/// Stores a Lucene.NET index in a directory of the file system. The files are read and written with <see cref="SluiceHandle"/>.
/// </summary>
/// <remarks>
/// <para>
/// The files are those of any other <see cref="FSDirectory"/>: an index can be opened with this class and with
/// <see cref="NIOFSDirectory"/> or <see cref="MMapDirectory"/> alternately. Listing, deletion and locks are inherited; the default lock
/// factory is <see cref="NativeFSLockFactory"/>.
/// </para>
/// <para>
/// Each read specifies its offset: the inputs of one file, which share an operating system handle, need no lock, and a read of cached data
/// is one system call. Queries over an index that is in the page cache or fits into it become faster. There is no difference if queries
/// rarely read from the index, or if the processor is busy with analysis and scoring.
/// </para>
/// <para>
/// Files are flushed to the disk by <see cref="Sync"/>, which <c>IndexWriter.Commit</c> calls. The other directories of Lucene.NET flush each
/// file when it is closed. Segments that are merged or deleted before a commit are never flushed, and the names of the files become durable
/// together with their content. The first commit with an object also flushes the files of the index that it finds.
/// </para>
/// <para>
/// All members are thread-safe. An input or an output is used by one thread at a time; clones of an input can be used by other threads at
/// the same time. When an input is disposed, its clones throw <see cref="ObjectDisposedException"/> when they read from the file. So do the
/// slices of an object from <see cref="CreateSlicer"/> that is disposed. A read beyond the end of a file, or of a slice, throws
/// <see cref="EndOfStreamException"/>.
/// </para>
/// </remarks>
public sealed class SluiceDirectory : FSDirectory
{
    /// <summary>
    /// The state of files, by name. A file without an entry may come from another process that was killed before it flushed the file, so
    /// the first commit that includes the file flushes it.
    /// </summary>
    private readonly ConcurrentDictionary<string, FileState> _files = new(StringComparer.Ordinal);

    /// <summary>Serializes calls of <see cref="Sync"/>, because the kernel reports an error only to the first of two flushes.</summary>
    private readonly System.Threading.Lock _syncing = new();

    /// <summary>The paths of directories in which <see cref="EnsureCanWrite"/> has created directories that are not yet durable.</summary>
    private readonly ConcurrentDictionary<string, bool> _unflushedParents = new(StringComparer.Ordinal);

    /// <summary>Initializes a new instance of the <see cref="SluiceDirectory"/> class for a directory.</summary>
    /// <param name="path">The path of the directory. If it does not exist, the first output creates it.</param>
    /// <param name="lockFactory">
    /// The lock factory, which must not be used by another directory, or <see langword="null"/> (the default) for a new
    /// <see cref="NativeFSLockFactory"/>.
    /// </param>
    /// <exception cref="ArgumentNullException"><paramref name="path"/> is <see langword="null"/>.</exception>
    /// <exception cref="ArgumentException"><paramref name="path"/> is empty or is not a valid path.</exception>
    /// <exception cref="DirectoryNotFoundException">The path is that of a file.</exception>
    public SluiceDirectory(string path, LockFactory? lockFactory = null)
        : this(new DirectoryInfo(path), lockFactory)
    {
    }

    /// <summary>Initializes a new instance of the <see cref="SluiceDirectory"/> class for a directory.</summary>
    /// <param name="path">The directory. If it does not exist, the first output creates it.</param>
    /// <inheritdoc cref="SluiceDirectory(string, LockFactory)"/>
    public SluiceDirectory(DirectoryInfo path, LockFactory? lockFactory = null)
        : base(path ?? throw new ArgumentNullException(nameof(path)), lockFactory)
    {
    }

    /// <summary>Opens a file for reading.</summary>
    /// <param name="name">The name of the file.</param>
    /// <param name="context">
    /// The purpose of the input, which determines the size of its buffer: 4,096 bytes for a merge, otherwise 1,024 bytes.
    /// </param>
    /// <returns>The input. Its length is that of the file at the time of this call.</returns>
    /// <exception cref="FileNotFoundException">The file does not exist.</exception>
    /// <exception cref="DirectoryNotFoundException">The directory does not exist.</exception>
    /// <exception cref="UnauthorizedAccessException">The process is not permitted to read the file.</exception>
    /// <exception cref="IOException">The operating system reported an error.</exception>
    /// <exception cref="ObjectDisposedException">The directory is disposed.</exception>
    public override IndexInput OpenInput(string name, IOContext context)
    {
        int bufferSize = BufferedIndexInput.GetBufferSize(context);
        SluiceHandle file = OpenToRead(name);
        try
        {
            return new SluiceIndexInput(PathOf(name), file, 0, file.Length, bufferSize, ownsFile: true);
        }
        catch
        {
            file.Dispose();
            throw;
        }
    }

    /// <summary>Opens a file from which slices are read, as from a compound file.</summary>
    /// <param name="name">The name of the file.</param>
    /// <param name="context">The purpose of the slices, which determines the size of their buffers, as for <see cref="OpenInput"/>.</param>
    /// <returns>
    /// The object that opens slices. The file is closed when this object is disposed; disposing a slice has no effect.
    /// </returns>
    /// <inheritdoc cref="OpenInput" path="/exception"/>
    public override IndexInputSlicer CreateSlicer(string name, IOContext context)
    {
        int bufferSize = BufferedIndexInput.GetBufferSize(context);
        return new SluiceIndexInputSlicer(PathOf(name), OpenToRead(name), bufferSize);
    }

    /// <summary>Creates a file and opens it for writing. An existing file is deleted.</summary>
    /// <param name="name">The name of the file.</param>
    /// <param name="context">The purpose of the output. It has no effect.</param>
    /// <returns>
    /// The output, with a buffer of 16,384 bytes. When it is disposed, all bytes have been passed to the operating system; they are durable
    /// after <see cref="Sync"/>.
    /// </returns>
    /// <exception cref="UnauthorizedAccessException">The process is not permitted to create the file.</exception>
    /// <exception cref="IOException">
    /// The directory could not be created, an existing file could not be deleted, or the operating system reported another error.
    /// </exception>
    /// <exception cref="ObjectDisposedException">The directory is disposed.</exception>
    public override IndexOutput CreateOutput(string name, IOContext context)
    {
        EnsureOpen();
        EnsureCanWrite(name);
        SluiceHandle file = SluiceHandle.Open(PathOf(name), FileMode.CreateNew, FileAccess.Write, FileShare.ReadWrite);
        FileState state = new();
        _files[name] = state;
        return new SluiceIndexOutput(file, () => state.IsClosed = true);
    }

    /// <summary>Deletes a file. Inputs of the file that are open can still be read on Unix.</summary>
    /// <param name="name">The name of the file.</param>
    /// <exception cref="FileNotFoundException">The file does not exist.</exception>
    /// <exception cref="IOException">The file could not be deleted.</exception>
    /// <exception cref="ObjectDisposedException">The directory is disposed.</exception>
    public override void DeleteFile(string name)
    {
        base.DeleteFile(name);
        _ = _files.TryRemove(name, out _);
    }

    /// <summary>
    /// Makes files durable: flushes their content, and then their names (fsync(2) of the files and of the directory).
    /// </summary>
    /// <param name="names">The names of the files. Those that this object has made durable before are left out.</param>
    /// <remarks>
    /// If a flush fails, content may be lost that a second flush would not report. A file whose flush failed is therefore refused by all
    /// later calls, until it is deleted or created again. If the flush of the directory failed, all files that are not durable are.
    /// </remarks>
    /// <exception cref="ArgumentNullException"><paramref name="names"/> is <see langword="null"/>.</exception>
    /// <exception cref="FileNotFoundException">A file does not exist.</exception>
    /// <exception cref="UnauthorizedAccessException">The process is not permitted to write to a file, or to read the directory.</exception>
    /// <exception cref="IOException">
    /// The device or the file system reported an error, in this call or in an earlier one for one of the files.
    /// </exception>
    /// <exception cref="ObjectDisposedException">The directory is disposed.</exception>
    public override void Sync(ICollection<string> names)
    {
        ArgumentNullException.ThrowIfNull(names);
        EnsureOpen();
        lock (_syncing)
        {
            Flush(names);
        }
    }

    /// <inheritdoc/>
    protected override void EnsureCanWrite(string name)
    {
        DirectoryInfo directory = new(m_directory.FullName);
        while (!directory.Exists && directory.Parent is { } parent)
        {
            _unflushedParents[parent.FullName] = true;
            directory = parent;
        }

        base.EnsureCanWrite(name);
    }

    private void Flush(ICollection<string> names)
    {
        // The state belongs to the file that has the name now: the file may be deleted and created again meanwhile.
        Dictionary<string, (FileState State, bool IsClosed)> files = new(StringComparer.Ordinal);
        foreach (string name in names)
        {
            FileState state = _files.GetOrAdd(name, static _ => new FileState { IsClosed = true });
            state.ThrowIfFailed(PathOf(name));
            if (!state.IsDurable)
            {
                files[name] = (state, state.IsClosed);
            }
        }

        if (files.Count == 0)
        {
            return;
        }

        foreach ((string name, (FileState state, _)) in files)
        {
            using SluiceHandle handle = SluiceHandle.Open(
                PathOf(name), FileMode.Open, FileAccess.Write, FileShare.ReadWrite | FileShare.Delete);
            try
            {
                handle.FlushToDisk();
            }
            catch (IOException e)
            {
                state.Failure = e;
                throw;
            }
        }

        try
        {
            FlushDirectories();
        }
        catch (IOException e)
        {
            foreach (FileState state in _files.Values.Where(static f => !f.IsDurable))
            {
                state.Failure = e;
            }

            throw;
        }

        foreach ((FileState state, bool isClosed) in files.Values)
        {
            state.IsDurable = isClosed;
        }
    }

    private void FlushDirectories()
    {
        SluiceFile.FlushDirectoryToDisk(m_directory.FullName);
        foreach (string parent in _unflushedParents.Keys)
        {
            SluiceFile.FlushDirectoryToDisk(parent);
            _ = _unflushedParents.TryRemove(parent, out _);
        }
    }

    private SluiceHandle OpenToRead(string name)
    {
        EnsureOpen();
        return SluiceHandle.Open(PathOf(name), FileMode.Open, FileAccess.Read, FileShare.ReadWrite | FileShare.Delete);
    }

    private string PathOf(string name) => Path.Combine(m_directory.FullName, name);

    private sealed class FileState
    {
        private volatile bool _isClosed;
        private volatile bool _isDurable;
        private volatile IOException? _failure;

        /// <summary>
        /// Gets or sets a value that indicates whether the output that created the file has written all content. True if the output was not
        /// one of this object.
        /// </summary>
        public bool IsClosed
        {
            get => _isClosed;
            set => _isClosed = value;
        }

        public bool IsDurable
        {
            get => _isDurable;
            set => _isDurable = value;
        }

        /// <summary>Sets the error of a flush. The kernel reports it once; a second flush would succeed without the lost content.</summary>
        public IOException Failure
        {
            set => _failure = value;
        }

        public void ThrowIfFailed(string path)
        {
            if (_failure is { } failure)
            {
                throw new IOException($"Flushing '{path}' is not possible, because an earlier flush failed: {failure.Message}", failure);
            }
        }
    }
}
