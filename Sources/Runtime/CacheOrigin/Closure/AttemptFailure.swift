package import CacheModel

/// Thrown by the closure of a ``ClosureOrigin`` to say why there is no answer.
package struct AttemptFailure: Error, Equatable {
    package var failure: LoadFailure

    package init(_ failure: LoadFailure) {
        self.failure = failure
    }
}
