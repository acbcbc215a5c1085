import CacheMemory
import CacheModel
import CacheWire

extension EntryStore {
    /// The number of entries of each namespace that has some, for a node that copies them.
    mutating func copyFigures(
        _ namespaces: NamespaceTable, now: Instant
    ) -> [StatusReport.Figure] {
        namespaces.all.enumerated().compactMap { index, namespace in
            let number = NamespaceNumber(UInt16(index))
            guard number != NamespaceTable.unnamed,
                let count = memory.count(.namespace(number), now: now)?.entryCount, count > 0
            else { return nil }
            return StatusReport.Figure(CopyFigure.entries + namespace.name, UInt64(count))
        }
    }
}
