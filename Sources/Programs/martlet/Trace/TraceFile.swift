import CommandSurface
import LibC
import SystemPackage

/// A trace's bytes, plain or unpacked, in pieces.
///
/// What begins as gzip does is unpacked by the `gzip` program, which reads the very file that was
/// opened: it is on every system that Martlet runs on, and takes a core of its own while this one
/// parses (docs/decisions/0016).
enum TraceFile {
    private enum Step { case read, unpack }

    /// Hands the bytes of the file at `path` – `-` is standard input – to `take`, piece by piece.
    ///
    /// - Throws: ``CommandFailure`` if it cannot be read or unpacked, and what `take` throws.
    static func read(_ path: String, _ take: (UnsafeRawBufferPointer) throws -> Void) throws {
        let isInput = path == "-"
        let descriptor = isInput ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure(.read, path, reason(errno)) }
        defer { if !isInput { close(descriptor) } }
        let progress = ProgressBar("reading", total: length(of: descriptor))
        defer { progress.finish() }
        let buffer = UnsafeMutableRawBufferPointer.allocate(
            byteCount: TraceLimits.pieceBytes, alignment: 16)
        defer { buffer.deallocate() }

        var count = try fill(buffer, from: descriptor, path)
        if buffer.prefix(min(count, 2)).elementsEqual([0x1F, 0x8B]) {
            guard lseek(descriptor, 0, SEEK_SET) == 0 else {
                throw failure(
                    .unpack, path, "it comes through a pipe; put gzip -dc before that")
            }
            return try unpack(descriptor, path) { unpacked in
                while case let count = try fill(buffer, from: unpacked, path), count > 0 {
                    progress.show(Int(lseek(descriptor, 0, SEEK_CUR)))
                    try take(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
                }
            }
        }
        while count > 0 {
            progress.show(Int(lseek(descriptor, 0, SEEK_CUR)))
            try take(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
            count = try fill(buffer, from: descriptor, path)
        }
    }

    /// Lends the end of a pipe from which the unpacked bytes come.
    private static func unpack(
        _ packed: Int32, _ path: String, _ body: (Int32) throws -> Void
    ) throws {
        let gzip: ChildProgram
        let output: FileDescriptor
        let complaints: FileDescriptor
        do throws(Errno) {
            (gzip, output, complaints) = try startGzip(FileDescriptor(rawValue: packed))
        } catch {
            throw failure(.unpack, path, "gzip does not start: \(error)")
        }
        defer { complaints.closeQuietly() }
        do {
            try body(output.rawValue)
        } catch {
            // Damage shows as nonsense before gzip comes to know of it: if it soon says so,
            // that is the reason.
            let hasEnded = isSoonOver(output.rawValue, path)
            // It ends when its pipe has no reader.
            output.closeQuietly()
            if !hasEnded { gzip.send(SIGTERM) }
            let end = gzip.waitUntilEnded()
            guard hasEnded, ![.exited(0), .exited(2)].contains(end) else { throw error }
            return try judge(end, try complaint(from: complaints, path), path)
        }
        output.closeQuietly()
        let complaint = try complaint(from: complaints, path)
        try judge(gzip.waitUntilEnded(), complaint, path)
    }

    /// - Returns: the program, and where to read what it writes to its two outputs.
    private static func startGzip(
        _ packed: FileDescriptor
    ) throws(Errno) -> (ChildProgram, FileDescriptor, FileDescriptor) {
        let complaints = try ChildProgram.pipe()
        defer { complaints.writeEnd.closeQuietly() }
        do throws(Errno) {
            let (gzip, output) = try ChildProgram.piped(
                "/usr/bin/env", ["gzip", "-dc"], input: packed, error: complaints.writeEnd)
            return (gzip, output, complaints.readEnd)
        } catch {
            complaints.readEnd.closeQuietly()
            throw error
        }
    }

    private static func complaint(
        from descriptor: FileDescriptor, _ path: String
    ) throws -> String {
        let buffer = UnsafeMutableRawBufferPointer.allocate(
            byteCount: TraceLimits.pieceBytes, alignment: 16)
        defer { buffer.deallocate() }
        let count = try fill(buffer, from: descriptor.rawValue, path)
        return String(decoding: buffer[..<count], as: UTF8.self)
    }

    /// Reads on without looking, and tells whether the end came.
    private static func isSoonOver(_ descriptor: Int32, _ path: String) -> Bool {
        let buffer = UnsafeMutableRawBufferPointer.allocate(
            byteCount: TraceLimits.pieceBytes, alignment: 16)
        defer { buffer.deallocate() }
        do {
            for _ in 0..<TraceLimits.drainedPiecesMax
            where try fill(buffer, from: descriptor, path) < buffer.count { return true }
        } catch {
            // What cannot be read on is not over.
        }
        return false
    }

    /// What gzip's exit code means: 2 is a warning, such as padding after the end.
    private static func judge(
        _ end: ChildProgram.End, _ complaint: String, _ path: String
    ) throws {
        switch end {
        case .exited(0), .exited(2): return
        case .exited(127): throw failure(.unpack, path, "gzip is not here; install it")
        case .signalled(let number):
            throw failure(.unpack, path, "gzip was ended by signal \(number); try again")
        case .exited(let code):
            let reason = complaint.split(separator: "\n").joined(separator: ", ")
                .replacing("gzip: stdin: ", with: "")
            throw failure(
                .unpack, path,
                (reason.isEmpty ? "gzip ended with \(code)" : reason)
                    + "; it is cut short or damaged: fetch it again")
        }
    }

    private static func fill(
        _ buffer: UnsafeMutableRawBufferPointer, from descriptor: Int32, _ path: String
    ) throws -> Int {
        var count = 0
        while count < buffer.count {
            let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[count...])
            let taken: Int
            do {
                taken = try FileDescriptor(rawValue: descriptor).read(into: rest)
            } catch { throw failure(.read, path, "\(error)") }
            if taken == 0 { break }
            count += taken
        }
        return count
    }

    /// 0 for what has none, such as a pipe.
    private static func length(of descriptor: Int32) -> Int {
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return 0 }
        return Int(status.st_size)
    }

    private static func reason(_ error: Int32) -> String { String(cString: strerror(error)) }

    private static func failure(
        _ step: Step, _ path: String, _ reason: String
    ) -> CommandFailure {
        let name = path == "-" ? "standard input" : HarmlessText.line(path)
        let remedy = step == .read ? "; give a file of lines time,key,size, or - for a pipe" : ""
        return CommandFailure(
            .unusableInput, "cannot \(step) \(name): \(HarmlessText.line(reason))\(remedy)")
    }
}
