/// Figures in the text form that Prometheus reads, version 0.0.4; every name begins with
/// `martlet_verify_`.
struct PrometheusLines {
    private(set) var text = ""

    /// What the lines with that name mean; before the first of them.
    mutating func begin(_ name: String, _ help: String, isCounter: Bool) {
        text += "# HELP martlet_verify_\(name) \(help)\n"
        text += "# TYPE martlet_verify_\(name) \(isCounter ? "counter" : "gauge")\n"
    }

    /// - Parameter labels: as they stand between braces; empty for none.
    mutating func line(_ name: String, _ labels: String, _ value: String) {
        text += "martlet_verify_\(name)\(labels.isEmpty ? "" : "{\(labels)}") \(value)\n"
    }

    /// A counter without labels.
    mutating func add(_ name: String, _ help: String, _ count: Int) {
        begin(name, help, isCounter: true)
        line(name, "", "\(count)")
    }
}
