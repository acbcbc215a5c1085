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
    let remedy: String?

    private init(
        _ subject: String, _ verdict: Verdict, _ sentence: String, remedy: String? = nil
    ) {
        self.subject = subject
        self.verdict = verdict
        self.sentence = sentence
        self.remedy = remedy
    }

    static func ok(_ subject: String, _ sentence: String) -> DoctorFinding {
        DoctorFinding(subject, .ok, sentence)
    }

    static func hint(_ subject: String, _ sentence: String) -> DoctorFinding {
        DoctorFinding(subject, .hint, sentence)
    }

    static func warning(
        _ subject: String, _ sentence: String, remedy: String
    ) -> DoctorFinding {
        DoctorFinding(subject, .warning, sentence, remedy: remedy)
    }

    static func wrong(
        _ subject: String, _ sentence: String, remedy: String
    ) -> DoctorFinding {
        DoctorFinding(subject, .wrong, sentence, remedy: remedy)
    }
}
