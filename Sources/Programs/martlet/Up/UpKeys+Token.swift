#if Web
    import ByteCoding
    import EssentialFoundation
    import GatewayServer

    extension UpKeys {
        /// Makes a token for a program, if there is none yet, and the list that has its hash.
        static func makeToken(in folder: URL, list: URL) throws {
            let file = folder.appendingPathComponent("\(UpGateway.name).token")
            guard !FileManager.default.fileExists(atPath: file.path) else { return }
            var dice = SystemRandomNumberGenerator()
            let token = HexText.text(
                of: (0..<32).map { _ in UInt8.random(in: 0...255, using: &dice) })
            let line = "\(programName)  \(TokenHash.hash(token))  \(rightsOfPrograms),metrics\n"
            for (file, text) in [(list, line), (file, token + "\n")] { try write(text, to: file) }
        }
    }
#endif
