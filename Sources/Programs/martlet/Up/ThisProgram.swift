import CommandSurface

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The file that this process was started from.
enum ThisProgram {
    /// Its path, also where it was found by `PATH`: as it was when it was first asked for. What
    /// lies there later may be another release of it.
    ///
    /// - Throws: ``CommandFailure`` if the system does not tell.
    static var path: String { get throws(CommandFailure) { try found.get() } }

    private static let found: Result<String, CommandFailure> = {
        #if os(Linux)
            do {
                let path = try FileManager.default.destinationOfSymbolicLink(
                    atPath: "/proc/self/exe")
                return .success(path)
            } catch {
                return .failure(
                    CommandFailure(.refused, "this program cannot find itself: is /proc mounted?"))
            }
        #else
            guard let path = Bundle.main.executablePath else {
                return .failure(CommandFailure(.bug, "this program does not know its own path"))
            }
            return .success(path)
        #endif
    }()
}
