import CommandSurface
import SystemPackage

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Why the system refused something, in the system's own words.
enum SystemReason {
    /// `No such file or directory` and its like, where an error of Foundation's names the system's;
    /// else the error's own text, in one line.
    static func text(_ error: any Error) -> String {
        if let error = error as? POSIXError { return "\(Errno(rawValue: error.code.rawValue))" }
        if let error = error as? CocoaError, let cause = error.underlying { return text(cause) }
        return HarmlessText.line("\(error)")
    }
}
