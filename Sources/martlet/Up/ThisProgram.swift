import CommandSurface

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The file that this process runs.
enum ThisProgram {
    /// Its path, also where it was found by `PATH`.
    ///
    /// - Throws: ``CommandFailure`` if the system does not tell.
    static var path: String {
        get throws(CommandFailure) {
            #if os(Linux)
                do {
                    return try FileManager.default.destinationOfSymbolicLink(
                        atPath: "/proc/self/exe")
                } catch {
                    throw CommandFailure(
                        .refused, "this program cannot find itself: is /proc mounted?")
                }
            #else
                guard let path = Bundle.main.executablePath else {
                    throw CommandFailure(.bug, "this program does not know its own path")
                }
                return path
            #endif
        }
    }
}
