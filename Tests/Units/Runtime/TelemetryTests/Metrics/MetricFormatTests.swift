import CacheMetrics
import Testing

/// Which form somebody gets who says what it accepts.
@Suite struct MetricFormatTests {
    /// As Prometheus 2.x and 3.x send it.
    private static let prometheus =
        "application/openmetrics-text;version=1.0.0;q=0.5,application/openmetrics-text;"
        + "version=0.0.1;q=0.4,text/plain;version=0.0.4;q=0.3,*/*;q=0.2"

    @Test(arguments: [
        prometheus, "application/openmetrics-text", "application/openmetrics-text; version=1.0.0",
        "Application/OpenMetrics-Text ; Version=1.0.0 ; Q=1",
        "text/plain, application/openmetrics-text",
    ])
    func anAcceptHeaderForOpenMetricsSelectsIt(accept: String) {
        #expect(MetricFormat.accepted(by: accept) == .openMetrics)
    }

    @Test(arguments: [
        nil, "", "*/*", "text/plain", "text/html", ",;=,",
        "application/openmetrics-text;version=2.0.0",
        "application/openmetrics-text;q=0", "application/openmetrics-text;q=x",
        "application/openmetrics-text;q=0.1, text/plain;q=0.9",
        "application/vnd.google.protobuf;proto=io.prometheus.client.MetricFamily",
    ])
    func everybodyElseGetsTheOlderForm(accept: String?) {
        #expect(MetricFormat.accepted(by: accept) == .prometheus)
    }

    @Test func eachFormSaysWhatItIs() {
        #expect(MetricFormat.prometheus.contentType.contains("version=0.0.4"))
        #expect(MetricFormat.openMetrics.contentType.contains("version=1.0.0"))
    }
}
