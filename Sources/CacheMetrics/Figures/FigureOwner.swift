/// Who tells a figure.
package struct FigureOwner: Sendable {
    /// Of the process.
    package let labels: [MetricLabel]
    /// The label of the shard; `nil` if the process tells it.
    package var shard: MetricLabel?
    /// Whether it tells what is told once for all shards.
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
