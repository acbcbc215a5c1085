import CacheClientCore
import CacheModel
import CacheWire
import Synchronization
import Threading

extension ClientLoop {
    /// Executes a plain get on the fast path.
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
                // The cancellation handler may have run before the get was in the inbox.
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
