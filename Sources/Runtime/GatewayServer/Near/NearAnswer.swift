import CacheHTTP

/// The answer to a read from memory, and the visit that ends once it is written.
struct NearAnswer {
    var answer: Answer
    var visit: Visit
}
