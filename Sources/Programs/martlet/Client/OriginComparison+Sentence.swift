import CacheModel

extension OriginComparison {
    /// One sentence: how what is shown stands to what the origin has.
    var sentence: String {
        switch verdict {
        case .same where shown == nil: "The origin has no value either."
        case .same: "The origin has the same value."
        case .differs: "The origin has something else: \(OriginSideText.text(origin))."
        case .notShown: "The origin was not asked: nothing fresh is shown."
        case .changed: "It changed while the origin was asked; ask again."
        case .pending:
            "The origin was not asked: writes of the key wait that it was not told of; see martlet "
                + "queue."
        case .failed:
            "The origin gave nothing: \(failure?.sentence ?? LoadFailure.unavailable.sentence)."
        }
    }
}

extension OriginComparison.Verdict {
    /// For scripts.
    var name: String {
        switch self {
        case .same: "same"
        case .differs: "differs"
        case .notShown: "not_shown"
        case .changed: "changed"
        case .pending: "pending"
        case .failed: "failed"
        }
    }
}
