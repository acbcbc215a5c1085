import Histogram

extension ReportPage {
    /// The key numbers: cards for one phase, a table for several.
    func summary(_ page: inout Markup) {
        page.element("section", ["aria-label": "Summary"]) { page in
            if measured.count > 1 {
                page.element("h2", "The phases at a glance")
                phaseTable.write(to: &page)
                let latencies = measured.map { ($0.name, $0.latency) }
                curves("compared", "The phases compared: latency by percentile", latencies)?
                    .write(to: &page)
            } else if let phase = measured.first {
                cards(phase, &page)
            }
        }
    }

    private func cards(_ phase: PhaseFigures, _ page: inout Markup) {
        let latency = phase.latency
        page.element("dl", ["class": "cards"]) { page in
            let under = "\(Self.count(phase.goodKeyCount)) in \(Self.seconds(phase.seconds))"
            card("keys per second", Self.rate(phase.keysPerSecond), under, &page)
            if phase.hitRatio != nil {
                let misses = Self.count(phase.missCount) + " misses"
                let stale = phase.staleCount == 0 ? "" : ", \(Self.count(phase.staleCount)) stale"
                card("hit ratio", Self.share(phase.hitRatio), misses + stale, &page)
            }
            if latency.totalCount > 0 {
                card("median latency", Self.latency(latency.known(50)), "p50", &page)
                card("99 of 100 within", Self.latency(latency.known(99)), "p99", &page)
                card("999 of 1000 within", Self.latency(latency.known(99.9)), "p99.9", &page)
                card("slowest", Self.latency(latency.slowest), "maximum", &page)
            }
            let receipts = phase.invalidationLatency
            if receipts.totalCount > 0 {
                let isKnown = receipts.known(99) != nil
                card(
                    isKnown ? "invalidated everywhere within" : "slowest invalidation",
                    Self.latency(receipts.known(99) ?? receipts.slowest),
                    (isKnown ? "p99 of " : "of ") + Self.count(receipts.totalCount), &page)
            }
            card("errors", Self.count(phase.errorCount), Self.errorText(phase), &page)
        }
    }

    private func card(
        _ name: String, _ figure: String, _ under: String, _ page: inout Markup
    ) {
        page.element("div") { page in
            page.element("dt", name)
            page.element("dd") { page in
                page.element("strong", figure)
                page.element("small", under)
            }
        }
    }

    private static func errorText(_ phase: PhaseFigures) -> String {
        let errors = phase.errors.sorted { $0.key < $1.key }.filter { $0.value > 0 }
        if errors.isEmpty { return "every key had a useful answer" }
        return errors.map { "\(count($0.value)) \($0.key)" }.joined(separator: ", ")
    }

    private var phaseTable: PageTable {
        let titles = [
            "phase", "seconds", "keys/s", "hit ratio", "p50", "p99", "p99.9", "max", "errors",
            "not sent",
        ]
        return PageTable(titles, rows: run.phases.map(Self.phaseRow))
    }

    private static func phaseRow(_ phase: PhaseFigures) -> [PageTable.Cell] {
        let latency = phase.latency
        let notSent = phase.schedule?.notSentCount
        return [
            .init(phase.name + (phase.isWarmUp ? ", not counted" : "")),
            .init(FigureForm.threeDigits(phase.seconds)),
            .init(rate(phase.keysPerSecond)), .init(share(phase.hitRatio)),
            .init(Self.latency(latency.known(50))), .init(Self.latency(latency.known(99))),
            .init(Self.latency(latency.known(99.9))), .init(Self.latency(latency.slowest)),
            .init(count(phase.errorCount), isBad: phase.errorCount > 0),
            .init(notSent.map(count) ?? FigureForm.none, isBad: (notSent ?? 0) > 0),
        ]
    }
}
