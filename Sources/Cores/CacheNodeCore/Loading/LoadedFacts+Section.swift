import CacheLoading
import CacheModel

extension LoadedFacts {
    /// The terms and the ETag in stored form; what the origin said has to fit, too.
    func section(_ terms: LoadTerms) -> [UInt8] {
        var terms = terms
        let etagBytes = validator?.bytes.count ?? 0
        let hasRoom = etagBytes <= Validator.bytesMax - LoadTerms.longBytes
        terms.said = etagBytes > 0 && hasRoom ? said : nil
        return terms.areAny ? terms.stored(with: validator) : validator?.bytes ?? []
    }
}
