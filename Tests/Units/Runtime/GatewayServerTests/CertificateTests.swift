import Foundation
import Testing

@testable import GatewayServer

@Suite struct CertificateTests {
    @Test func aKeyThatOthersMayReadIsRefused() throws {
        let file = FileManager.default.temporaryDirectory
            .appendingPathComponent("martlet-key-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: file) }
        try Data("key".utf8).write(to: file)
        let certificate = GatewayOptions.Certificate(chainFile: "/nowhere", keyFile: file.path)
        func sentence(mode: Int) throws -> String? {
            try FileManager.default.setAttributes(
                [.posixPermissions: mode], ofItemAtPath: file.path)
            do throws(GatewayStartError) {
                _ = try CertificateStore(certificate)
                return nil
            } catch {
                return error.description
            }
        }
        #expect(try sentence(mode: 0o644)?.contains("chmod 600 \(file.path)") == true)
        // The next that is wrong.
        #expect(try sentence(mode: 0o600)?.contains("/nowhere") == true)
    }

    @Test func aKeyThatIsTooLongIsNotRead() throws {
        let file = FileManager.default.temporaryDirectory
            .appendingPathComponent("martlet-key-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: file) }
        try Data(count: GatewayLimits.keyFileBytesMax + 1).write(to: file)
        chmod(file.path, 0o600)
        let certificate = GatewayOptions.Certificate(chainFile: "/nowhere", keyFile: file.path)
        do throws(GatewayStartError) {
            _ = try CertificateStore(certificate)
            Issue.record("taken")
        } catch {
            #expect(error.description.contains("it is longer than 65536 bytes"), "\(error)")
        }
    }

    @Test(arguments: [
        ("/nowhere/key", "No such file"), ("/usr", "it is no file"), ("/dev/zero", "it is no file"),
    ])
    func aKeyThatIsNoFileIsNamed(path: String, reason: String) {
        let certificate = GatewayOptions.Certificate(chainFile: "/nowhere", keyFile: path)
        do throws(GatewayStartError) {
            _ = try CertificateStore(certificate)
            Issue.record("taken")
        } catch {
            #expect(error.description.contains(path), "\(error)")
            #expect(error.description.contains(reason), "\(error)")
        }
    }
}
