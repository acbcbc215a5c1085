package import CacheDisk
import LibC

/// A tier's file that is only read: nothing is made, reserved, mapped, repaired or kept locked, so
/// a node may have it open, or come to.
///
/// One thread calls it, and waits for the disk.
package final class TierReader {
    package let path: String
    private let file: TierFile

    /// - Throws: ``TierReaderError`` if there is no plain file, or it may not be read.
    package init(_ path: String) throws(TierReaderError) {
        self.path = path
        do throws(DiskFileError) {
            file = try TierFile(reading: path)
        } catch {
            throw TierReaderError(error)
        }
    }

    deinit { file.letGo() }

    /// Whether a process has it open as its tier at this moment.
    package var isInUse: Bool { file.isLocked }

    /// What its first page says.
    package func plan() throws(TierReaderError) -> InspectionPlan {
        let (size, machine, facts): (Int, TierMachineFacts, BootFacts)
        do throws(DiskFileError) {
            facts = BootFacts.current
            size = try file.sizeBytes()
            machine = TierMachineFacts(showing: facts, try file.imprint())
        } catch {
            throw TierReaderError(error)
        }
        let head = try read(0..<min(size, CacheFilesLimits.headBytes))
        do throws(InspectionFailure) {
            return try InspectionPlan(
                head: head, fileBytes: size, machine: machine, now: facts.now)
        } catch {
            throw .unfit(path: path, error)
        }
    }

    /// Looks through all of it.
    ///
    /// - Parameter tell: called after each slice with the records it brought, if the plan lists
    ///   them, and with the share of the log that has been looked through.
    package func inspect(
        _ plan: InspectionPlan, tell: ([InspectedRecord], Double) throws -> Void
    ) throws -> TierFacts {
        var inspection = TierInspection(plan, tail: try read(plan.tailRange))
        while true {
            switch inspection.next() {
            case .read(let range):
                if case .read(let bytes) = file.read(range.count, at: range.lowerBound) {
                    inspection.take(bytes)
                } else {
                    inspection.take(nil)
                }
            case .turn:
                try tell(inspection.records, inspection.progress)
                inspection.records.removeAll(keepingCapacity: true)
            case .end: return inspection.facts
            }
        }
    }

    private func read(_ range: Range<Int>) throws(TierReaderError) -> [UInt8] {
        switch file.read(range.count, at: range.lowerBound) {
        case .read(let bytes): return bytes
        case .failed(let failure): throw .unreadable(path: path, "\(failure)")
        case .done: preconditionFailure("a read ends with bytes or a failure")
        }
    }
}
