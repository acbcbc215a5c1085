import AccessControl
import Foundation
import Testing

@Suite struct KeyFileTests {
    /// Somebody, and root.
    private static let user: UInt32 = 7_400
    private static let root: UInt32 = 0

    @Test(arguments: [0o600, 0o400, 0o700] as [UInt32])
    func theOwnersFileIsHisAlone(mode: UInt32) {
        for owner in [Self.user, Self.root] {
            #expect(!KeyFile.isOpen(mode: mode, owner: owner, reader: Self.user))
            #expect(!KeyFile.isOpen(mode: mode, owner: owner, reader: Self.root))
        }
    }

    /// What a service manager hands over is shown as 440, with the reader in its access list.
    @Test func aFileOfRootsMayBeHandedOver() {
        #expect(!KeyFile.isOpen(mode: 0o440, owner: Self.root, reader: Self.user))
        #expect(!KeyFile.isOpen(mode: 0o640, owner: Self.root, reader: Self.user))
    }

    @Test func aGroupReadableKeyFileIsTooOpenForItsOwner() {
        #expect(KeyFile.isOpen(mode: 0o640, owner: Self.user, reader: Self.user))
        #expect(KeyFile.isOpen(mode: 0o440, owner: Self.user, reader: Self.user))
        // Root hands itself nothing over.
        #expect(KeyFile.isOpen(mode: 0o440, owner: Self.root, reader: Self.root))
    }

    @Test(arguments: [0o604, 0o444, 0o602, 0o601, 0o660, 0o620, 0o610] as [UInt32])
    func whatOthersMayReadOrChangeIsOpen(mode: UInt32) {
        for owner in [Self.user, Self.root] {
            #expect(KeyFile.isOpen(mode: mode, owner: owner, reader: Self.user))
        }
    }
}
