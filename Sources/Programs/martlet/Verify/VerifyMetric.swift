import CacheMetrics

/// Every metric of `verify --metrics`.
enum VerifyMetric {
    static let records = MetricFamily(
        .counter, "martlet_verify_records", "Records of the log that were heard.")
    static let samples = MetricFamily(
        .counter, "martlet_verify_samples", "Keys that were sampled.")
    static let violations = MetricFamily(
        .counter, "martlet_verify_violations", "Answers that broke a promise.")
    static let differing = MetricFamily(
        .counter, "martlet_verify_differing", "Looks with different versions.")
    static let logLosses = MetricFamily(
        .counter, "martlet_verify_log_losses", "Times the log could not be followed.")
    static let answers = MetricFamily(
        .counter, "martlet_verify_answers", "What nodes answered, by finding.")
    static let following = MetricFamily(
        .gauge, "martlet_verify_following", "Whether the publisher is heard.")
    static let openSamples = MetricFamily(
        .gauge, "martlet_verify_open_samples", "Samples with checks still due.")
    static let lateness = MetricFamily(
        .gauge, "martlet_verify_late_seconds",
        "How much later than their delay nodes were asked, at most.")
    static let nines = MetricFamily(
        .gauge, "martlet_verify_nines",
        "How consistent answers were, in nines; at least so many where none was bad.")
    static let origin = MetricFamily(
        .counter, "martlet_verify_origin",
        "Values of nodes, compared with those of origins, by finding.")

    static let all = [
        records, samples, violations, differing, logLosses, answers, following, openSamples,
        lateness, nines, origin,
    ]
}
