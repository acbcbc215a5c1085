import CacheModel

extension KeyEvent {
    /// The event in words, without its time.
    var sentence: String {
        let place = position == .none ? "" : ", at \(position)"
        return deed.map { $0 + place } ?? answer + place + asked
    }

    /// An action of the thread, or its outcome; `nil` for an answer to a get.
    private var deed: String? {
        switch kind {
        case .changed: "the database changed it to version \(version)"
        case .invalidationSent: "invalidation sent; version \(version) was the newest"
        case .receiptComplete: "receipt: all reached; from here on version \(version) is promised"
        case .receiptIncomplete: "receipt for version \(version): not complete, promises nothing"
        case .receiptMissing: "no receipt came for version \(version); it promises nothing"
        case .fillSent: "token came; version \(version) sent to be stored under it"
        case .stored: "version \(version) stored"
        case .fillRefused: "version \(version) was not stored"
        default: nil
        }
    }

    private var answer: String {
        switch kind {
        case .answeredFresh: "answered fresh with version \(version)"
        case .answeredStale: "answered with version \(version), marked stale"
        case .answeredUnfenced: "answered with version \(version), marked unfenced"
        case .answeredDamaged: "answered with bytes that are not whole"
        case .answeredForeign: "answered with version \(version) of another run"
        default: "answered that it is not there"
        }
    }

    private var asked: String {
        "; asked \(MillisecondsText.text(of: at.elapsed(since: askedAt))) earlier"
    }
}
