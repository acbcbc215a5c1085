import CacheModel
import CacheVerification
import CacheWorkload

/// Buffers for keys and values before they are copied into messages.
final class DriverScratch {
    private let keyRoom = UnsafeMutableRawBufferPointer.allocate(
        byteCount: CacheKey.bytesMax, alignment: 8)
    private let valueRoom: UnsafeMutableRawBufferPointer
    /// Verified runs have keys of their own: so the values of other clients, and of other verified
    /// runs, are not taken for wrong answers.
    private let run: RunStamp?

    /// - Parameter run: `nil` if nothing is verified.
    init(valueBytesMax: Int, run: RunStamp?) {
        self.run = run
        valueRoom = .allocate(
            byteCount: max(valueBytesMax, WorkloadLimits.verifiedValueBytesMin), alignment: 8)
        valueRoom.initializeMemory(as: UInt8.self, repeating: UInt8(ascii: "v"))
    }

    deinit {
        keyRoom.deallocate()
        valueRoom.deallocate()
    }

    /// Writes a key; valid until the next key is written.
    @inline(__always)
    func key(_ number: Int, bytes: Int) -> UnsafeRawBufferPointer {
        let room = UnsafeMutableRawBufferPointer(rebasing: keyRoom[0..<bytes])
        if let run {
            KeyName.write(number, ofRun: run.rawValue, into: room)
        } else {
            KeyName.write(number, into: room)
        }
        return UnsafeRawBufferPointer(room)
    }

    /// A buffer for a value, with the bytes of the last one.
    @inline(__always)
    func value(bytes: Int) -> UnsafeMutableRawBufferPointer {
        UnsafeMutableRawBufferPointer(rebasing: valueRoom[0..<bytes])
    }
}
