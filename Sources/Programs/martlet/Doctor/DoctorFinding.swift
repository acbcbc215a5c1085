/// What a check has found: one line.
struct DoctorFinding: Hashable {
    enum Verdict: String, CaseIterable {
        case ok
        /// Good to know, and no fault.
        case hint
        /// Will be wrong, or may be meant so.
        case warning
        /// Keeps a role from starting, or lets in unwanted clients.
        case wrong
    }

    /// What was looked at: a word or two.
    let subject: String
    let verdict: Verdict
    /// What was seen.
    let sentence: String
    /// What to do; `nil` where nothing is to be done.
    var remedy: String?

    static func ok(_ subject: String, _ sentence: String) -> DoctorFinding {
        DoctorFinding(subject: subject, verdict: .ok, sentence: sentence)
    }

    static func hint(_ subject: String, _ sentence: String) -> DoctorFinding {
        DoctorFinding(subject: subject, verdict: .hint, sentence: sentence)
    }

    static func warning(_ subject: String, _ sentence: String, remedy: String) -> DoctorFinding {
        DoctorFinding(subject: subject, verdict: .warning, sentence: sentence, remedy: remedy)
    }

    static func wrong(_ subject: String, _ sentence: String, remedy: String) -> DoctorFinding {
        DoctorFinding(subject: subject, verdict: .wrong, sentence: sentence, remedy: remedy)
    }
}
