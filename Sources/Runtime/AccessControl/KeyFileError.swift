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
