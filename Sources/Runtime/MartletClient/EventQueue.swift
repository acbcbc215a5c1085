import CacheClientCore
import Threading

/// Events between the thread that follows the log and the task that reads them. Bounded: the thread
/// checks the capacity first.
final class EventQueue: Sendable {
    private struct State {
        var events: [InvalidationStream.Event] = []
        var takenCount = 0
        var hasEnded = false
        /// Why the stream ended; `nil` if its reader ended it.
        var failure: CacheError?
        var isPart = false
        var reader: CheckedContinuation<InvalidationStream.Event?, Never>?

        var heldCount: Int { events.count - takenCount }

        mutating func take() -> InvalidationStream.Event? {
            guard heldCount > 0 else { return nil }
            takenCount += 1
            let event = events[takenCount - 1]
            if takenCount == events.count {
                events.removeAll(keepingCapacity: true)
                takenCount = 0
            }
            return event
        }
    }

    private let state = Guarded(State())

    var room: Int {
        state.withLock { ClientLimits.eventsHeldMax - $0.events.count }
    }

    func append(_ event: InvalidationStream.Event) {
        let reader = state.withLock { state in
            if state.reader == nil, !state.hasEnded { state.events.append(event) }
            defer { state.reader = nil }
            return state.reader
        }
        SanitizerOrder.release(self)
        reader?.resume(returning: event)
    }

    var failure: CacheError? { state.withLock { $0.failure } }

    var isPart: Bool { state.withLock { $0.isPart } }

    func showsPart() { state.withLock { $0.isPart = true } }

    /// Ends the stream: buffered events can still be read.
    func end(because failure: CacheError? = nil) {
        state.withLock { state in
            state.failure = state.failure ?? failure
            state.hasEnded = true
        }
        takeReader()?.resume(returning: nil)
    }

    /// Waits for the next event; `nil` at the end, or if the task is cancelled.
    func next() async -> InvalidationStream.Event? {
        let event = await withTaskCancellationHandler {
            await withCheckedContinuation { register($0) }
        } onCancel: {
            takeReader()?.resume(returning: nil)
        }
        SanitizerOrder.acquire(self)
        return event
    }

    private func register(_ reader: CheckedContinuation<InvalidationStream.Event?, Never>) {
        var event: InvalidationStream.Event?
        let mustWait = state.withLock { state in
            event = state.take()
            let isOver = state.hasEnded || state.reader != nil || Task.isCancelled
            guard event == nil, !isOver else { return false }
            state.reader = reader
            return true
        }
        if !mustWait { reader.resume(returning: event) }
    }

    private func takeReader() -> CheckedContinuation<InvalidationStream.Event?, Never>? {
        state.withLock { state in
            defer { state.reader = nil }
            return state.reader
        }
    }
}
