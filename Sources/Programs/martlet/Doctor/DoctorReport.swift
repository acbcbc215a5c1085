import ByteCoding
import CommandSurface

/// All that `doctor` has found, as it is shown.
struct DoctorReport {
    let findings: [DoctorFinding]

    func count(_ verdict: DoctorFinding.Verdict) -> Int {
        findings.filter { $0.verdict == verdict }.count
    }

    /// - Parameter hasSymbols: whether ✓ and ✗ can be read where it is shown; otherwise words.
    func output(_ style: OutputStyle, hasSymbols: Bool) -> CommandOutput {
        var output = CommandOutput()
        switch style {
        case .json: output.writeLine(json)
        case .text(let isColoured): write(to: &output, isColoured, hasSymbols)
        }
        if count(.wrong) > 0 { output.status = .unusableConfiguration }
        return output
    }

    private func write(
        to output: inout CommandOutput, _ isColoured: Bool, _ hasSymbols: Bool
    ) {
        var table = Table([.left(""), .left(""), .left("")])
        for finding in findings {
            let verdict = finding.verdict
            let remedy = finding.remedy.map { "; \($0)" } ?? ""
            table.add([
                .init(hasSymbols ? verdict.symbol : verdict.rawValue, verdict.tone),
                .init(finding.subject),
                .init(HarmlessText.line(EndpointKeys.shortened(finding.sentence + remedy))),
            ])
        }
        output.write(table.text(isColoured: isColoured, hasTitles: false))
        output.writeLine(summary)
    }

    private var summary: String {
        let (wrong, warnings) = (count(.wrong), count(.warning))
        guard wrong + warnings > 0 else { return "nothing is wrong" }
        return "\(wrong) wrong, \(FigureText.count(warnings, "warning"))"
    }

    private var json: JSONDocument {
        .object([
            ("wrong", .integer(count(.wrong))), ("warnings", .integer(count(.warning))),
            (
                "findings",
                .list(
                    findings.map { finding in
                        .object([
                            ("check", .text(finding.subject)),
                            ("verdict", .text(finding.verdict.rawValue)),
                            ("what", .text(finding.sentence)),
                            ("remedy", .optional(finding.remedy, JSONDocument.text)),
                        ])
                    })
            ),
        ])
    }
}

extension DoctorFinding.Verdict {
    fileprivate var symbol: String {
        switch self {
        case .ok: "✓"
        case .hint: "·"
        case .warning: "!"
        case .wrong: "✗"
        }
    }

    fileprivate var tone: Table.Tone {
        switch self {
        case .ok: .good
        case .hint: .plain
        case .warning: .warning
        case .wrong: .bad
        }
    }
}

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
