import CacheDisk

/// A disk tier's file that is an array, and fails when the script says so.
final class FuzzFile {
    /// The mapped part: what is stored there is the file's at once.
    let tail: UnsafeMutableRawBufferPointer
    private var bytes: [UInt8]
    /// Fails every write from now on.
    var writeFailure: DiskFailure?
    /// Fails every read from now on.
    var readFailure: DiskFailure?

    /// A file of zeros.
    init(_ geometry: DiskGeometry) {
        bytes = Array(repeating: 0, count: geometry.fileBytes)
        tail = .allocate(byteCount: geometry.tailBytes, alignment: 64)
        tail.initializeMemory(as: UInt8.self, repeating: 0)
    }

    deinit { tail.deallocate() }

    func carryOut(_ command: DiskCommand) -> DiskCompletion {
        DiskCompletion(command.ticket, outcome(of: command))
    }

    private func outcome(of command: DiskCommand) -> DiskCompletion.Outcome {
        switch command {
        case .write(_, let source, let offset):
            if let writeFailure { return .failed(writeFailure) }
            switch source {
            case .tail(let range):
                let written = UnsafeRawBufferPointer(rebasing: tail[range])
                bytes.replaceSubrange(offset..<offset + range.count, with: written)
            case .owned(let written):
                bytes.replaceSubrange(offset..<offset + written.count, with: written)
            }
            return .done
        case .read(_, let byteCount, let offset):
            if let readFailure { return .failed(readFailure) }
            return .read(Array(bytes[offset..<offset + byteCount]))
        case .synchronize: return writeFailure.map { .failed($0) } ?? .done
        case .release(_, let byteCount, let offset):
            bytes.replaceSubrange(
                offset..<offset + byteCount, with: repeatElement(0, count: byteCount))
            return .done
        case .reserve: return .done
        }
    }
}
