import SystemPackage
package import ZeroMQ

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// A file with a key pair, which only its owner may read.
///
///     # The key of web. Its holder can act as web: keep it secret.
///     public-key 9a01… (64 digits)
///     secret-key 77c2… (64 digits)
package enum KeyFile {
    /// Reads a pair.
    ///
    /// - Throws: ``KeyFileError``, which never contains any part of the secret.
    package static func read(_ path: String) throws(KeyFileError) -> CurveKeyPair {
        let bytes = try contents(of: path, reader: geteuid())
        do throws(CurveKeyPair.TextProblem) {
            return try CurveKeyPair(text: String(decoding: bytes, as: UTF8.self))
        } catch {
            throw error == .halvesDiffer ? .halvesDiffer(path) : .malformed(path)
        }
    }

    /// Writes a new pair into a file that must not exist yet; only its owner may read it from its
    /// first byte on.
    package static func write(
        _ pair: CurveKeyPair, of name: String, to path: String
    ) throws(KeyFileError) {
        let text =
            "# The key of \(name). Its holder can act as \(name): keep it secret.\n"
            + pair.secretText
        let file: FileDescriptor
        do {
            file = try FileDescriptor.open(
                path, .writeOnly, options: [.create, .exclusiveCreate, .closeOnExec],
                permissions: .ownerReadWrite)
        } catch {
            if error as? Errno == .fileExists { throw .exists(path) }
            throw .unwritable(path, reason: "\(error)")
        }
        do {
            try file.closeAfter {
                try file.writeAll(text.utf8)
                guard fsync(file.rawValue) == 0 else { throw Errno(rawValue: errno) }
            }
        } catch {
            // A partial key file would only block the next attempt.
            _ = unlink(path)
            throw .unwritable(path, reason: "\(error)")
        }
    }

    /// Whether users other than the reader, and root, may read a file.
    ///
    /// Service managers and container platforms provide a key in a file of root with the group-read
    /// bit: `stat` shows an access list that includes the reader in this way.
    package static func isOpen(mode: UInt32, owner: UInt32, reader: UInt32) -> Bool {
        let isHandedOver = owner == 0 && reader != 0
        return mode & (isHandedOver ? 0o037 : 0o077) != 0
    }

    /// The contents of a file that its reader, and root, alone may read.
    ///
    /// - Parameter reader: the user id of the reader.
    static func contents(of path: String, reader: UInt32) throws(KeyFileError) -> [UInt8] {
        func said(_ failure: OpenedFile.Failure) -> KeyFileError {
            failure.number == ENOENT
                ? .missing(path) : .unreadable(path, reason: failure.reason)
        }
        let file: OpenedFile
        do throws(OpenedFile.Failure) { file = try OpenedFile(path) } catch { throw said(error) }
        try check(file, path, reader)
        let bytes: [UInt8]?
        do throws(OpenedFile.Failure) {
            bytes = try file.contents(bytesMax: AccessLimits.keyFileBytesMax)
        } catch { throw said(error) }
        guard let bytes else { throw .malformed(path) }
        return bytes
    }

    private static func check(
        _ file: borrowing OpenedFile, _ path: String, _ reader: UInt32
    ) throws(KeyFileError) {
        guard file.isOrdinary else { throw .unreadable(path, reason: "it is no file") }
        guard !isOpen(mode: file.mode, owner: file.owner, reader: reader) else {
            throw .readableByOthers(path, mode: file.mode)
        }
        // Root may read every file; its owner may, too.
        guard file.owner == reader || file.owner == 0 else {
            throw .ofAnother(path, owner: file.owner)
        }
    }
}
