import Dispatch
import Foundation

/// Measurements last a time; nothing else waits for one.
enum Time {
    /// Lets time pass without taking one of Swift's threads for it.
    static func pass(seconds: Double) async {
        await withCheckedContinuation { continuation in
            DispatchQueue.global().asyncAfter(deadline: .now() + seconds) { continuation.resume() }
        }
    }

    /// Waits on this thread.
    static func pause(milliseconds: Int) {
        var pause = timespec(tv_sec: 0, tv_nsec: milliseconds * 1_000_000)
        pselect(0, nil, nil, nil, &pause, nil)
    }
}
