import LibC
import SystemPackage
package import ZeroMQ

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
        func refusal(_ problem: OpenedFile.Problem) -> KeyFileError {
            switch problem {
            case .failed(ENOENT): .missing(path)
            case .tooLong: .malformed(path)
            default: .unreadable(path, reason: problem.reason)
            }
        }
        let file: OpenedFile
        do throws(OpenedFile.Problem) { file = try OpenedFile(path) } catch { throw refusal(error) }
        try check(file, path, reader)
        do throws(OpenedFile.Problem) {
            return try file.contents(bytesMax: AccessLimits.keyFileBytesMax)
        } catch { throw refusal(error) }
    }

    private static func check(
        _ file: borrowing OpenedFile, _ path: String, _ reader: UInt32
    ) throws(KeyFileError) {
        guard !isOpen(mode: file.mode, owner: file.owner, reader: reader) else {
            throw .readableByOthers(path, mode: file.mode)
        }
        // Root may read every file; its owner may, too.
        guard file.owner == reader || file.owner == 0 else {
            throw .ofAnother(path, owner: file.owner)
        }
    }
}

/// Why a key's file cannot be used. Shows no part of the secret.
package enum KeyFileError: Error, Hashable, CustomStringConvertible {
    case missing(String)
    case unreadable(String, reason: String)
    case readableByOthers(String, mode: UInt32)
    case ofAnother(String, owner: UInt32)
    case malformed(String)
    case halvesDiffer(String)
    case exists(String)
    case unwritable(String, reason: String)

    /// One sentence: what is wrong, and what to do.
    package var description: String {
        switch self {
        case .missing(let path):
            "there is no key at \(path); make one with martlet keygen"
        case .unreadable(let path, let reason): "the key at \(path) cannot be read: \(reason)"
        case .readableByOthers(let path, let mode):
            "the key at \(path) may be read by others (mode \(String(mode, radix: 8))), so it may "
                + "be known already: chmod 600 \(path) if you are sure that no other user has read "
                + "it, or make a new one with martlet keygen"
        case .ofAnother(let path, let owner):
            "the key at \(path) belongs to another user (\(owner)), who may read it, so it may be "
                + "known already: chown it to the user who runs martlet if you are sure that "
                + "it was not read, or make a new one with martlet keygen"
        case .malformed(let path):
            "\(path) holds no key: a line public-key and a line secret-key are wanted, each with "
                + "64 hexadecimal digits, as martlet keygen writes them"
        case .halvesDiffer(let path):
            "the two lines of \(path) are not halves of one key; make a new one with martlet keygen"
        case .exists(let path):
            "\(path) exists, and is not overwritten: processes with that key would be refused; "
                + "choose another name, or move it away first"
        case .unwritable(let path, let reason): "\(path) cannot be written: \(reason)"
        }
    }
}
