import CacheModel
import CommandSurface
import MartletClient

/// A receipt in a few words: `3/3 nodes 1.2 ms`, `2/3 nodes 1.2 ms, pending n3`.
enum ReceiptText {
    static func short(_ receipt: InvalidationReceipt) -> String {
        let count = receipt.applied.count + receipt.expired.count + receipt.pending.count
        var text = "\(receipt.applied.count)/\(FigureText.count(count, "node"))"
        // Zero: a node had applied it before the receipt was asked for, at an unknown time.
        if let slowest = receipt.applied.map(\.elapsed).max(),
            receipt.applied.allSatisfy({ $0.elapsed > .zero })
        {
            let tenths = (slowest.wholeNanoseconds + 50_000) / 100_000
            text += " \(tenths / 10).\(tenths % 10) ms"
        }
        text += names(receipt.expired.map(\.node), "expired")
        text += names(receipt.pending, "pending")
        return text
    }

    private static func names(_ nodes: [NodeID], _ word: String) -> String {
        guard let first = nodes.first else { return "" }
        let others = nodes.count - 1
        let rest =
            nodes.count > 3
            ? " and \(others) more"
            : nodes.dropFirst().reduce("") {
                $0 + " " + $1.name
            }
        return ", \(word) \(first)\(rest)"
    }
}
