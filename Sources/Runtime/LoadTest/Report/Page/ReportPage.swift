/// The report of a load test as one HTML file: no network, no other file; readable without script,
/// on paper, on a telephone, and with a screen reader.
///
///      cautions                        what a reader must not overlook
///      key numbers                     cards, or a table of the phases
///      over time                       rate · latency · hit ratio · invalidations
///      phase by phase                  percentiles · kinds · errors · generator
///      --verify                        counts of checks; wrong answers and their keys' history
///      requested load                  facts · machines
///      method                          the meaning of each number
///
/// It is a pure function of the figures; the caller writes the file. All text from outside –
/// titles, names, keys – is escaped by ``Markup``.
package struct ReportPage {
    let run: RunFigures
    let measured: [PhaseFigures]

    package init(_ run: RunFigures) {
        self.run = run
        measured = run.measuredPhases
    }

    /// The whole file. Well-formed XML, too.
    package var html: String {
        var page = Markup()
        page.element(
            "html", ["lang": "en", "xmlns": "http://www.w3.org/1999/xhtml"]
        ) { page in
            page.element("head") { head(&$0) }
            page.element("body") { page in
                page.element("main") { page in
                    top(&page)
                    cautions(&page)
                    summary(&page)
                    overTime(&page)
                    phases(&page)
                    verification(&page)
                    asked(&page)
                    method(&page)
                }
                page.element("script") { $0.write(own: ReportAssets.script) }
            }
        }
        return "<!DOCTYPE html>\n" + page.text + "\n"
    }

    private func head(_ page: inout Markup) {
        page.empty("meta", ["charset": "utf-8"])
        page.empty(
            "meta", ["name": "viewport", "content": "width=device-width, initial-scale=1"])
        page.empty("meta", ["name": "color-scheme", "content": "light dark"])
        page.element("title", "\(run.title) – load test")
        page.element("style") { $0.write(own: ReportAssets.style) }
    }

    private func top(_ page: inout Markup) {
        page.element("header") { page in
            page.element("p", ["class": "kind"], "Load test · Martlet \(run.version)")
            page.element("h1", run.title)
            page.element("p", ["class": "subject"], run.subject)
            var facts: [String] = []
            if let start = run.startedAt { facts.append(WallTime(milliseconds: start).text) }
            facts += run.workers.prefix(1).compactMap(\.machine.hostName)
            if run.workers.count > 1 { facts.append("and \(run.workers.count - 1) more") }
            page.element("p", ["class": "soft"], facts.joined(separator: " · "))
        }
    }

    private func cautions(_ page: inout Markup) {
        let cautions = run.cautions
        guard !cautions.isEmpty else { return }
        page.element("ul", ["class": "cautions", "aria-label": "Read first"]) { page in
            for caution in cautions {
                page.element("li", ["class": caution.weight.rawValue]) { page in
                    page.element("strong", Self.name(caution.weight))
                    page.write(" " + caution.sentence)
                }
            }
        }
    }

    private static func name(_ weight: Caution.Weight) -> String {
        switch weight {
        case .violation: "Violation."
        case .warning: "Note."
        case .remark: "Know."
        }
    }

    /// Spaces in numbers at which no line breaks.
    static let space = FigureForm.narrowSpace

    static func latency(_ nanoseconds: UInt64?) -> String {
        FigureForm.latency(nanoseconds, separator: space)
    }

    static func count(_ number: UInt64) -> String {
        FigureForm.grouped(number, separator: space)
    }

    static func rate(_ perSecond: Double?) -> String {
        FigureForm.rate(perSecond, separator: space)
    }

    static func share(_ share: Double?) -> String { FigureForm.share(share, separator: space) }

    static func seconds(_ seconds: Double) -> String {
        FigureForm.seconds(seconds, separator: space)
    }
}
