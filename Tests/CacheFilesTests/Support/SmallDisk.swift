import Foundation
import Testing

/// A small file system of its own, for as long as this lives.
final class SmallDisk {
    let path: String
    private let image: String?

    /// Memory that is a file system.
    ///
    /// - Returns: `nil`, and says why, where none may be mounted.
    static func inMemory(megabytes: Int) throws -> SmallDisk? {
        let path = try directory()
        let answer = try run(
            "mount", "-t", "tmpfs", "-o", "size=\(megabytes)m", "tmpfs", path)
        return mounted(answer, path, image: nil)
    }

    /// An ext4 in a file.
    static func ext4(megabytes: Int) throws -> SmallDisk? {
        let path = try directory()
        let image = path + ".image"
        let made = try run(
            "sh", "-c",
            "truncate -s \(megabytes)M \(image) && mkfs.ext4 -q \(image)"
                + " && mount -o loop,errors=remount-ro \(image) \(path)")
        return mounted(made, path, image: image)
    }

    private static func mounted(_ complaint: String?, _ path: String, image: String?) -> SmallDisk?
    {
        let disk = SmallDisk(path, image: image)
        guard let complaint else { return disk }
        print("skipped, no disk of its own can be mounted here: \(complaint)")
        return nil
    }

    private init(_ path: String, image: String?) {
        self.path = path
        self.image = image
    }

    deinit {
        do {
            _ = try Self.run("umount", "-l", path)
            try FileManager.default.removeItem(atPath: path)
            if let image { try FileManager.default.removeItem(atPath: image) }
        } catch {
            print("\(path) was not removed: \(error)")
        }
    }

    func remountReadOnly() throws -> Bool {
        try Self.run("mount", "-o", "remount,ro", path) == nil
    }

    /// What becomes of a disk that finds itself damaged: it takes no more writes.
    func breakDown() throws -> Bool {
        try Self.run(
            "sh", "-c",
            "device=$(findmnt -n -o SOURCE \(path)) && "
                + "echo broken > /sys/fs/ext4/${device#/dev/}/trigger_fs_error") == nil
    }

    private static func directory() throws -> String {
        let path = FileManager.default.temporaryDirectory
            .appendingPathComponent("martlet-small-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        return path
    }

    /// - Returns: what it complains of if it fails.
    private static func run(_ arguments: String...) throws -> String? {
        let (process, errors) = (Process(), Pipe())
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = arguments
        process.standardOutput = FileHandle.nullDevice
        process.standardError = errors
        try process.run()
        let said = String(
            decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        return process.terminationStatus == 0 ? nil : "\(arguments[0]): \(said)"
    }
}
