/// The process or the shard that reports a metric.
package struct FigureOwner: Sendable {
    /// Labels of the process.
    package let labels: [MetricLabel]
    /// The label of the shard; `nil` if the process reports the metric.
    package var shard: MetricLabel?
    /// Whether it reports the values that are reported once for all shards.
    package var isFirst = true

    package init(_ labels: [MetricLabel] = []) {
        self.labels = labels
    }

    package init(_ labels: [MetricLabel], shard: MetricLabel, isFirst: Bool) {
        self.labels = labels
        self.shard = shard
        self.isFirst = isFirst
    }
}
