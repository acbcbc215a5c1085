import ArgumentParser
import CacheInvalidation
import CacheModel
import Dispatch
import Storage
import Threading

/// How long a log takes until it goes on, until what it touched is known, and until all of it is
/// proven.
struct StartCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "start", abstract: "Open a log, and wait until everything about it is known.")

    @Argument(help: "The log's directory.") var directory: String

    func run() throws {
        let began = MonotonicClock.now
        func elapsed() -> Duration { MonotonicClock.now.elapsed(since: began) }
        let never = DispatchSemaphore(value: 0)
        let opened = try OpenedLog(directory, mebibytesKept: 1 << 20)
        print("goes on after \(elapsed()), \(opened.figure("log_bytes") >> 20) MiB")
        while true {
            guard case .floors(let floors) = opened.hear() else { continue }
            print("what it touched since \(floors.completeSince) is known after \(elapsed())")
            while opened.figure("log_proven_bytes") < opened.figure("log_bytes") {
                // Looked at now and then, so that the log's thread has the processor.
                _ = never.wait(timeout: .now() + .milliseconds(1))
            }
            print("all of it is proven after \(elapsed())")
            opened.log.keeper.close(saving: floors)
            return
        }
    }
}
