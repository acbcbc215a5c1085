package import CacheDisk

/// A disk tier's file in an array. Commands run on demand, and ``image`` shows at any moment what
/// the next process would find after kill -9.
package final class SimulatedTierFile {
    package let geometry: DiskGeometry
    /// The mapped part: a change of it changes the file at once.
    package let tail: UnsafeMutableRawBufferPointer
    private var bytes: [UInt8]
    /// Fails every write from now on.
    package var writeFailure: DiskFailure?
    /// Fails every read from now on.
    package var readFailure: DiskFailure?
    /// Fails to reserve bytes from now on.
    package var reserveFailure: DiskFailure?
    /// Fails to release bytes from now on.
    package var releaseFailure: DiskFailure?

    /// A file of zeros.
    package convenience init(_ geometry: DiskGeometry) {
        self.init(geometry, image: Array(repeating: 0, count: geometry.fileBytes))
    }

    /// The file that an earlier process left.
    package init(_ geometry: DiskGeometry, image: [UInt8]) {
        precondition(image.count == geometry.fileBytes, "an image is of the whole file")
        self.geometry = geometry
        bytes = image
        tail = .allocate(byteCount: geometry.tailBytes, alignment: 64)
        let range = geometry.tailOffset..<geometry.tailOffset + geometry.tailBytes
        image.withUnsafeBytes {
            tail.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[range]))
        }
    }

    deinit { tail.deallocate() }

    /// The present contents of the whole file.
    package var image: [UInt8] {
        var image = bytes
        image.replaceSubrange(
            geometry.tailOffset..<geometry.tailOffset + geometry.tailBytes, with: tail)
        return image
    }

    package func carryOut(_ command: DiskCommand) -> DiskCompletion {
        DiskCompletion(command.ticket, outcome(of: command))
    }

    /// A write that its process or its disk did not finish.
    package func tear(_ command: DiskCommand, after byteCount: Int) {
        guard case .write(_, let source, let offset) = command else { return }
        write(contents(of: source).prefix(byteCount), at: offset)
    }

    private func contents(of source: DiskBytes) -> [UInt8] {
        switch source {
        case .tail(let range): Array(tail[range])
        case .owned(let owned): owned
        }
    }

    private func write(_ written: some Collection<UInt8>, at offset: Int) {
        bytes.replaceSubrange(offset..<offset + written.count, with: written)
    }

    /// Flips a bit outside the mapped part.
    package func flip(bit: UInt8, at offset: Int) { bytes[offset] ^= 1 << bit }

    private func outcome(of command: DiskCommand) -> DiskCompletion.Outcome {
        switch command {
        case .write(_, let source, let offset):
            if let writeFailure { return .failed(writeFailure) }
            write(contents(of: source), at: offset)
            return .done
        case .read(_, let byteCount, let offset):
            if let readFailure { return .failed(readFailure) }
            // The array's copy of the tail is outdated; no command reads it.
            return .read(Array(bytes[offset..<offset + byteCount]))
        case .synchronize: return writeFailure.map { .failed($0) } ?? .done
        case .release(_, let byteCount, let offset):
            if let failure = writeFailure ?? releaseFailure { return .failed(failure) }
            write(repeatElement(0, count: byteCount), at: offset)
            return .done
        case .reserve: return reserveFailure.map { .failed($0) } ?? .done
        }
    }
}
