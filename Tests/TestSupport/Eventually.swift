import Dispatch

/// The deadline of waits in tests. It is long because the machine may be busy; only a test that
/// fails reaches it.
package let patience: Duration = .seconds(60)

/// Blocks the thread until the condition holds. A check that throws counts as "not yet".
///
/// It has a name of its own, because a call with a synchronous closure in a task would choose it
/// over the asynchronous one.
///
/// - Throws: ``GaveUp`` with `what` and the last error if the condition does not hold in time.
package func waitUntil(
    _ what: @autoclosure () -> String, within patience: Duration = patience,
    _ condition: () throws -> Bool
) throws {
    let deadline = ContinuousClock.now + patience
    while true {
        let result = Result { try condition() }
        if try isOver(result, deadline, "not within \(patience): \(what())") { return }
        // Never signalled: the timeout is the pause between two checks.
        _ = DispatchSemaphore(value: 0).wait(timeout: .now() + pause)
    }
}

/// Suspends the task until the condition holds. A check that throws counts as "not yet", unless
/// the task is cancelled.
///
/// - Throws: ``GaveUp`` with `what` and the last error if the condition does not hold in time.
package func eventually(
    _ what: @autoclosure () -> String, within patience: Duration = patience,
    _ condition: () async throws -> Bool
) async throws {
    let deadline = ContinuousClock.now + patience
    while true {
        let result: Result<Bool, any Error>
        do { result = .success(try await condition()) } catch { result = .failure(error) }
        if try isOver(result, deadline, "not within \(patience): \(what())") { return }
        await breath()
    }
}

/// Pauses a task between two checks.
package func breath() async {
    await withCheckedContinuation { continuation in
        DispatchQueue.global().asyncAfter(deadline: .now() + pause) { continuation.resume() }
    }
}

private let pause = DispatchTimeInterval.milliseconds(10)

/// Whether the condition holds; throws if it does not and the deadline has passed.
private func isOver(
    _ result: Result<Bool, any Error>, _ deadline: ContinuousClock.Instant,
    _ failure: @autoclosure () -> String
) throws -> Bool {
    switch result {
    case .success(true): return true
    case .failure(let error as CancellationError): throw error
    case .success(false):
        guard ContinuousClock.now < deadline else { throw GaveUp(failure()) }
    case .failure(let error):
        guard ContinuousClock.now < deadline else { throw GaveUp("\(failure()) (\(error))") }
    }
    return false
}
