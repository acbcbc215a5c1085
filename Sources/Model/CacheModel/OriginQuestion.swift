/// How an origin is asked for a value.
public enum OriginQuestion: Hashable, Sendable {
    /// By GET at the URL of the key.
    case get
    /// By POST with a body made from this template. Checked when it is read.
    case post(body: String)
}
