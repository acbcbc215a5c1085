internal import CLibcrypto

/// A point of one of NIST's curves, and the ECDSA signatures that it verifies (RFC 7518, 3.4).
package struct EllipticCurvePublicKey: Sendable {
    /// A curve, under the name that JSON web keys have for it.
    package enum Curve: String, CaseIterable, Sendable {
        case p256 = "P-256"
        case p384 = "P-384"
        case p521 = "P-521"

        /// Bytes of a coordinate, and of each half of a signature.
        package var coordinateBytes: Int {
            switch self {
            case .p256: 32
            case .p384: 48
            case .p521: 66
            }
        }
    }

    package let curve: Curve
    private let key: VerificationKey

    /// Makes a key of a point: x and then y, each as long as ``Curve/coordinateBytes``.
    ///
    /// - Throws: ``CryptographyError`` if it has another length or is not on the curve.
    package init(_ curve: Curve, point: [UInt8]) throws(CryptographyError) {
        guard point.count == 2 * curve.coordinateBytes else {
            throw .invalidLength(bytes: point.count)
        }
        guard let made = Self.key(on: curve.rawValue, point) else { throw .notOnCurve }
        self.curve = curve
        key = made
    }

    /// Decoding a point, libcrypto refuses one that is not on its curve.
    private static func key(on curve: String, _ point: [UInt8]) -> VerificationKey? {
        // The mark of a point with both coordinates (SEC 1, 2.3.3).
        let encoded = [4] + point
        // The builder reads both at its end, not when they are pushed.
        return curve.withCString { curve in
            encoded.withUnsafeBufferPointer { encoded in
                VerificationKey("EC") { builder in
                    OSSL_PARAM_BLD_push_utf8_string(builder, martlet_param_group, curve, 0) == 1
                        && OSSL_PARAM_BLD_push_octet_string(
                            builder, martlet_param_point, encoded.baseAddress, encoded.count) == 1
                }
            }
        }
    }

    /// Whether `signature` – r and then s, each as long as a coordinate – is one of `message`.
    package func isValidSignature(
        _ signature: [UInt8], for message: [UInt8], _ hash: SHA2
    ) -> Bool {
        guard signature.count == 2 * curve.coordinateBytes,
            let encoded = Self.encoded(signature)
        else { return false }
        return key.isValidSignature(encoded, for: message, hash: hash)
    }

    /// The two halves of a signature in DER, the only form that libcrypto verifies.
    private static func encoded(_ signature: [UInt8]) -> [UInt8]? {
        Libcrypto.result {
            guard let pair = ECDSA_SIG_new() else { return nil }
            defer { ECDSA_SIG_free(pair) }
            let half = signature.count / 2
            let r = BN_bin2bn(Array(signature[..<half]), Int32(half), nil)
            let s = BN_bin2bn(Array(signature[half...]), Int32(half), nil)
            // Owns both from here on, if it succeeds.
            guard ECDSA_SIG_set0(pair, r, s) == 1 else {
                BN_free(r)
                BN_free(s)
                return nil
            }
            let byteCount = Int(i2d_ECDSA_SIG(pair, nil))
            guard byteCount > 0 else { return nil }
            return [UInt8](unsafeUninitializedCapacity: byteCount) { output, used in
                var end = output.baseAddress
                used = Int(i2d_ECDSA_SIG(pair, &end))
            }
        }
    }
}
