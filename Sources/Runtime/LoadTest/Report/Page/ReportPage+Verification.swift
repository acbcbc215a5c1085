extension ReportPage {
    /// The number of checks, and every wrong answer with the history of its key.
    func verification(_ page: inout Markup) {
        guard let verification = run.verification else { return }
        page.element("section") { page in
            page.element("h2", "Verification")
            page.element("p") { page in
                page.element(
                    "strong", ["class": Self.isGood(verification) ? "good" : "bad"],
                    Self.verdict(verification))
            }
            let columns: [(title: String, count: UInt64, isBad: Bool)] = [
                ("answers checked", verification.answersChecked, false),
                ("fresh", verification.freshCount, false),
                ("under a promise", verification.promisedCount, verification.promisedCount == 0),
                ("stale", verification.staleCount, false),
                ("unfenced", verification.unfencedCount, false),
                ("misses", verification.missCount, false),
                ("changes made", verification.changeCount, false),
                ("receipts complete", verification.receiptsComplete, false),
                ("receipts incomplete", verification.receiptsIncomplete, false),
                ("fills refused", verification.fillsRefused, false),
                ("wrong answers", verification.violationCount, verification.violationCount > 0),
            ]
            let row = columns.map { PageTable.Cell(Self.count($0.count), isBad: $0.isBad) }
            PageTable(columns.map(\.title), rows: [row]).write(to: &page)
            for violation in verification.violations { write(violation, to: &page) }
            let listedCount = UInt64(verification.violations.count)
            if verification.violationCount > listedCount {
                let more = Self.count(verification.violationCount - listedCount)
                page.element("p", ["class": "note"], "\(more) more are not listed.")
            }
        }
    }

    private static func isGood(_ verification: VerificationFigures) -> Bool {
        verification.violationCount == 0 && verification.promisedCount > 0
    }

    private static func verdict(_ verification: VerificationFigures) -> String {
        if verification.violationCount > 0 {
            let count = verification.violationCount
            return count == 1 ? "One answer was wrong." : "\(Self.count(count)) answers were wrong."
        }
        if verification.answersChecked == 0 { return "No answer was checked." }
        if verification.promisedCount == 0 {
            return "Nothing was promised of what was asked for: how old answers are is not known."
        }
        let count = Self.count(verification.promisedCount)
        return "None of \(count) answers under a promise was older than it may be."
    }

    private func write(_ violation: ViolationFigures, to page: inout Markup) {
        page.element("article", ["class": "violation"]) { page in
            page.element("h3") { page in
                page.write("Key ")
                page.element("code", String(decoding: violation.key, as: UTF8.self))
            }
            page.element("p", violation.sentence)
            var place: [String] = []
            if let seconds = violation.atSeconds {
                place.append("\(Self.seconds(seconds)) after the start")
            }
            if let phase = violation.phase { place.append("in the phase \(phase)") }
            if !place.isEmpty {
                page.element("p", ["class": "note"], place.joined(separator: ", "))
            }
            if !violation.history.isEmpty {
                page.element("p", "What had happened to it, the oldest first:")
                page.element("ol", ["class": "history"]) { page in
                    for line in violation.history { page.element("li", line) }
                }
            }
        }
    }
}
