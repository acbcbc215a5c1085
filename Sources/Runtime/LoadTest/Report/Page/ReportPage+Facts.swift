import EssentialFoundation

extension ReportPage {
    /// The requested load, and the machines.
    func asked(_ page: inout Markup) {
        page.element("section") { page in
            page.element("h2", "What was asked, and where")
            if !run.asked.isEmpty {
                page.element("dl", ["class": "facts"]) { page in
                    for fact in run.asked {
                        page.element("dt", fact.name)
                        page.element("dd", fact.value)
                    }
                }
            }
            machines(&page)
        }
    }

    private func machines(_ page: inout Markup) {
        guard !run.workers.isEmpty else { return }
        let isJoined = run.workers.contains { $0.part != nil }
        let titles =
            (isJoined ? ["part"] : []) + ["machine", "system", "processor", "memory", "build"]
            + ["threads", "connections", "began"]
        let rows = run.workers.map { worker -> [String] in
            let part = isJoined ? [worker.part?.description ?? FigureForm.none] : []
            let began = worker.startedAt.map { WallTime(milliseconds: $0).text }
            return part + Self.facts(worker.machine) + [
                "\(worker.threadCount)", "\(worker.connectionCount)", began ?? FigureForm.none,
            ]
        }
        page.element("h3", run.workers.count > 1 ? "The machines" : "The machine")
        var table = PageTable(titles, rows: rows)
        table.wordColumns = Set(0..<titles.count).subtracting([titles.count - 3, titles.count - 2])
        table.write(to: &page)
        page.element(
            "p", ["class": "note"],
            "That is where the load was made. A cluster that ran there, too, shared its processors."
        )
    }

    private static func facts(_ machine: MachineFacts) -> [String] {
        let count = machine.processorCount.map { $0 == 1 ? "1 processor" : "\($0) processors" }
        let processor = [machine.processor, count].compactMap(\.self).joined(separator: ", ")
        let memory = machine.memoryBytes.map { bytes in
            FigureForm.threeDigits(Double(bytes) / 1_073_741_824) + space + "GiB"
        }
        return [
            machine.hostName ?? FigureForm.none, machine.system ?? FigureForm.none,
            processor.isEmpty ? FigureForm.none : processor, memory ?? FigureForm.none,
            machine.build ?? FigureForm.none,
        ]
    }

    /// The meaning of each number.
    func method(_ page: inout Markup) {
        page.element("section", ["class": "method"]) { page in
            page.element("h2", "How it was measured")
            page.element("dl", ["class": "facts"]) { page in
                for (name, text) in Self.meanings {
                    page.element("dt", name)
                    page.element("dd", text)
                }
            }
        }
    }

    private static let meanings: [(String, String)] = [
        (
            "latency",
            """
            From when an operation was due to when its answer was taken. In a closed loop it is \
            due when there is room for it; in an open loop when the schedule says so, whether or \
            not there was room: what waited is counted as slow.
            """
        ),
        (
            "percentile",
            """
            p99 is the latency that 99 of 100 answers did not exceed. Each comes from one HDR \
            histogram, merged over all threads and machines, exact to a thousandth; over time to a \
            hundredth. None is an average of percentiles.
            """
        ),
        (
            "–",
            """
            Not measured, or not known: a percentile that fewer than ten answers stand behind is \
            not shown.
            """
        ),
        (
            "operation and key",
            """
            An operation is one request with its answer; a batch is one operation with many keys. \
            Rates are of answered keys, errors included; the time is that of the slowest thread.
            """
        ),
        (
            "hit ratio",
            "Lookups that were answered with a value, stale ones included, of all lookups."
        ),
        (
            "errors",
            """
            Keys that got no useful answer, by outcome. They are in no latency: a quick refusal \
            must not look fast.
            """
        ),
        (
            "warm-up",
            "Shaded in the charts. Its figures are in no card, no percentile curve and no total."
        ),
        (
            "the generator",
            """
            Processor time of the threads that made the load. Where they had no time left, the \
            figures are theirs and not the cluster's.
            """
        ),
    ]
}

/// A calendar time, in UTC.
struct WallTime {
    /// Milliseconds since 1970.
    let milliseconds: UInt64

    /// `2026-11-23 08:52:10Z`.
    var text: String {
        // The format is defined up to the year 9999.
        let seconds = min(Double(milliseconds) / 1_000, 253_402_300_799)
        return Date(timeIntervalSince1970: seconds)
            .formatted(.iso8601.dateTimeSeparator(.space))
    }
}
