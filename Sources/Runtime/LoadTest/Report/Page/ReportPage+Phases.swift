import Histogram

extension ReportPage {
    /// The measured phases one by one, then the warm-ups.
    func phases(_ page: inout Markup) {
        for (index, phase) in measured.enumerated() {
            page.element("section") { page in
                page.element("h2", measured.count > 1 ? "Phase: \(phase.name)" : "In detail")
                if !phase.asked.isEmpty { page.element("p", ["class": "soft"], phase.asked) }
                kinds(phase, &page)
                let kinds = phase.operations.map { ($0.kind, $0.latency) }
                curves("percentiles-\(index)", "Latency by percentile", kinds)?.write(to: &page)
                errors(phase, &page)
                schedule(phase, &page)
                generator(phase, &page)
            }
        }
    }

    private func kinds(_ phase: PhaseFigures, _ page: inout Markup) {
        page.element("h3", "By kind of operation")
        let hasBytes = phase.operations.contains { $0.valueBytes != nil }
        let titles =
            ["kind", "operations", "keys", "keys/s", "hit ratio", "errors"]
            + ["p50", "p90", "p99", "p99.9", "p99.99", "max"] + (hasBytes ? ["MB/s"] : [])
        let rows = phase.operations.map { kind -> [PageTable.Cell] in
            let rate = phase.seconds > 0 ? Double(kind.goodKeyCount) / phase.seconds : nil
            let bytes = kind.valueBytes.map { Double($0) / max(phase.seconds, 1e-9) / 1e6 }
            var row: [PageTable.Cell] = [
                .init(kind.kind), .init(Self.count(kind.operationCount)),
                .init(Self.count(kind.keyCount)), .init(Self.rate(rate)),
                .init(Self.share(kind.hitRatio)),
                .init(Self.count(kind.errorCount), isBad: kind.errorCount > 0),
            ]
            row += [50, 90, 99, 99.9, 99.99].map { .init(Self.latency(kind.latency.known($0))) }
            row.append(.init(Self.latency(kind.latency.slowest)))
            return hasBytes ? row + [.init(Self.rate(bytes))] : row
        }
        PageTable(titles, rows: rows).write(to: &page)
        if phase.operations.contains(where: \.isInvalidation) {
            page.element(
                "p", ["class": "note"],
                "An invalidation is answered when its receipt is whole: every node applied it.")
        }
    }

    private func errors(_ phase: PhaseFigures, _ page: inout Markup) {
        let rows = phase.operations.flatMap { kind in
            kind.errors.sorted { $0.key < $1.key }.filter { $0.value > 0 }.map { cause, count in
                [
                    kind.kind, cause, Self.count(count),
                    Self.share(Double(count) / Double(max(kind.keyCount, 1))),
                ]
            }
        }
        guard !rows.isEmpty else { return }
        page.element("h3", "Errors by cause")
        var table = PageTable(["kind", "outcome", "keys", "of the kind"], rows: rows)
        table.wordColumns = [1]
        table.write(to: &page)
    }

    private func schedule(_ phase: PhaseFigures, _ page: inout Markup) {
        guard let schedule = phase.schedule else { return }
        page.element("h3", "The schedule")
        let late = schedule.lateness
        let notSent = Self.count(schedule.notSentCount)
        PageTable(
            [
                "asked for, keys/s", "due", "not sent", "most waiting", "late p50", "late p99",
                "latest",
            ],
            rows: [
                [
                    .init(Self.rate(schedule.ratePerSecond)), .init(Self.count(schedule.dueCount)),
                    .init(
                        "\(notSent) (\(Self.share(schedule.notSentShare)))",
                        isBad: schedule.notSentCount > 0),
                    .init(Self.count(schedule.backlogMax)), .init(Self.latency(late.known(50))),
                    .init(Self.latency(late.known(99))), .init(Self.latency(late.slowest)),
                ]
            ]
        ).write(to: &page)
        page.element(
            "p", ["class": "note"],
            "Counted in keys. Late is from when an operation was due to when it was sent; that is "
                + "part of every latency.")
    }

    private func generator(_ phase: PhaseFigures, _ page: inout Markup) {
        guard let sentence = run.generatorSentence(of: phase, separator: Self.space) else {
            return
        }
        page.element("h3", "The generator")
        page.element("p", sentence + ".")
    }
}
