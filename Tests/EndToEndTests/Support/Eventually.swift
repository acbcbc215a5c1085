import Foundation

/// A story that could not go on, and why.
struct GaveUp: Error, CustomStringConvertible {
    var description: String

    init(_ description: String) { self.description = description }
}

/// Looks again and again until the condition holds. A look that throws counts as *not yet*.
///
/// Deadlines are long, because the machine may be busy; nothing waits for one to pass.
///
/// - Throws: ``GaveUp`` with `what` and the last error, if it did not hold in time.
func eventually(
    _ what: @autoclosure () -> String, within patience: Duration = .seconds(30),
    _ condition: () async throws -> Bool
) async throws {
    let deadline = ContinuousClock.now + patience
    var lastError: (any Error)?
    while true {
        do {
            if try await condition() { return }
            lastError = nil
        } catch let error as CancellationError {
            throw error
        } catch {
            lastError = error
        }
        guard ContinuousClock.now < deadline else {
            let reason = lastError.map { " (\($0))" } ?? ""
            throw GaveUp("not within \(patience): \(what())\(reason)")
        }
        await breath()
    }
}

/// The pause between two looks.
func breath() async {
    await withCheckedContinuation { continuation in
        DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(10)) {
            continuation.resume()
        }
    }
}
