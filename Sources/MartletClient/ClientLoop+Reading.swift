import CacheClientCore
import CacheModel
import CacheWire
import Synchronization
import Threading

extension ClientLoop {
    /// Carries a plain get out by the short way.
    func read(
        _ key: CacheKey, in namespace: Namespace, _ options: GetOperation.Options,
        deadline: Instant
    ) async -> ReadEnding {
        guard !Task.isCancelled else { return .failed(ClientWorker.cancelled(false)) }
        let ticket = tickets.wrappingAdd(1, ordering: .relaxed).newValue
        let ending = await withTaskCancellationHandler {
            await withUnsafeContinuation { caller in
                submit(
                    SingleGet(
                        key: key, namespace: namespace, options: options, deadline: deadline,
                        ticket: ticket, caller: caller))
                // The handler may have been heard before the get was there to be found.
                if Task.isCancelled { _ = inbox.post(.cancelGet(ticket: ticket)) }
            }
        } onCancel: {
            _ = inbox.post(.cancelGet(ticket: ticket))
        }
        SanitizerOrder.acquire(self)
        return ending
    }

    private func submit(_ get: SingleGet) {
        if executor.isHome, let worker {
            worker.accept(get)
        } else if !inbox.post(get) {
            get.caller.resume(returning: .failed(.closed))
        }
    }
}
