import Testing

@testable import CacheDisk

@Suite struct FingerprintTests {
    @Test func anFingerprintIsTheUpper36BitsOfAHash() {
        #expect(Fingerprint(hash: 0).rawValue == 0)
        #expect(Fingerprint(hash: 1 << 28 - 1).rawValue == 0)
        #expect(Fingerprint(hash: 1 << 28).rawValue == 1)
        #expect(Fingerprint(hash: .max).rawValue == 1 << 36 - 1)
        #expect(Fingerprint(hash: .max) == Fingerprint(rawValue: 1 << 36 - 1))
    }

    @Test func aPlaceIsEightBytesWide() {
        #expect(RecordAddress(byteOffset: 0).rawValue == 0)
        #expect(RecordAddress(byteOffset: 4_096).rawValue == 512)
        #expect(RecordAddress(rawValue: 513).byteOffset == 4_104)
    }

    @Test func placesReachAsFarAsSegmentsMay() {
        let last = DiskLimits.segmentBytesAllMax - 8
        #expect(RecordAddress(byteOffset: last).rawValue == 1 << 34 - 1)
        #expect(RecordAddress(rawValue: 1 << 34 - 1).byteOffset == last)
    }

    @Test func whatHasMoreBitsIsRefused() async {
        await #expect(processExitsWith: .failure) { _ = Fingerprint(rawValue: 1 << 36) }
        await #expect(processExitsWith: .failure) { _ = RecordAddress(rawValue: 1 << 34) }
        await #expect(processExitsWith: .failure) { _ = RecordAddress(byteOffset: 12) }
        await #expect(processExitsWith: .failure) { _ = RecordAddress(byteOffset: -8) }
    }
}
