import CLibyaml

/// One event of a YAML text: a value, or the beginning or the end of what contains values.
struct YAMLEvent {
    enum Kind {
        case scalar(YAMLNode.Scalar)
        case sequenceStart
        case mappingStart
        /// Of a sequence or a mapping.
        case end
        case documentStart
        case documentEnd
        case streamStart
        case streamEnd
    }

    let kind: Kind
    /// Where it begins.
    let place: SourcePlace
}

/// Reads the events of a text by libyaml: the one type that calls the library.
///
/// Events are copied, so no pointer of the library leaves this type. Anchors and aliases are
/// errors, and tags are ignored.
final class YAMLEventReader {
    private let text: UnsafeMutableBufferPointer<UInt8>
    /// In memory of its own, because libyaml keeps its address.
    private let parser: UnsafeMutablePointer<yaml_parser_t>

    /// - Throws: ``YAMLFault/outOfMemory``.
    init(_ string: String) throws(YAMLFault) {
        text = .allocate(capacity: string.utf8.count)
        _ = text.initialize(from: string.utf8)
        parser = .allocate(capacity: 1)
        parser.initialize(to: yaml_parser_t())
        guard yaml_parser_initialize(parser) == 1 else { throw .outOfMemory }
        // Named, so that libyaml does not guess; it then takes a byte order mark for a column.
        yaml_parser_set_encoding(parser, YAML_UTF8_ENCODING)
        let mark = string.unicodeScalars.first == "\u{FEFF}" ? 3 : 0
        yaml_parser_set_input_string(parser, text.baseAddress.map { $0 + mark }, text.count - mark)
    }

    deinit {
        yaml_parser_delete(parser)
        parser.deallocate()
        text.deallocate()
    }

    /// The next event. After `streamEnd` or an error there is none.
    func next() throws(YAMLFault) -> YAMLEvent {
        var event = yaml_event_t()
        guard yaml_parser_parse(parser, &event) == 1 else { throw fault() }
        defer { yaml_event_delete(&event) }
        let place = SourcePlace(event.start_mark)
        guard let kind = YAMLEvent.Kind(event) else { throw .reference(place) }
        return YAMLEvent(kind: kind, place: place)
    }

    /// Why the last call failed.
    private func fault() -> YAMLFault {
        let found = parser.pointee
        let problem = found.problem.map { String(cString: $0) } ?? "unknown error"
        switch found.error {
        case YAML_SCANNER_ERROR, YAML_PARSER_ERROR:
            let context = found.context.map {
                (text: String(cString: $0), place: SourcePlace(found.context_mark))
            }
            return .syntax(problem: problem, context: context, SourcePlace(found.problem_mark))
        case YAML_READER_ERROR:
            return .character(problem: problem, code: Int(found.problem_value))
        default:
            // The composer's errors do not come from here, and no other is left.
            return .outOfMemory
        }
    }
}

extension YAMLEvent.Kind {
    /// - Returns: `nil` for an alias, and for a value with an anchor.
    fileprivate init?(_ event: yaml_event_t) {
        switch event.type {
        case YAML_STREAM_START_EVENT: self = .streamStart
        case YAML_STREAM_END_EVENT: self = .streamEnd
        case YAML_DOCUMENT_START_EVENT: self = .documentStart
        case YAML_DOCUMENT_END_EVENT: self = .documentEnd
        case YAML_SEQUENCE_END_EVENT, YAML_MAPPING_END_EVENT: self = .end
        case YAML_SEQUENCE_START_EVENT where event.data.sequence_start.anchor == nil:
            self = .sequenceStart
        case YAML_MAPPING_START_EVENT where event.data.mapping_start.anchor == nil:
            self = .mappingStart
        case YAML_SCALAR_EVENT where event.data.scalar.anchor == nil:
            let scalar = event.data.scalar
            let bytes = UnsafeBufferPointer(start: scalar.value, count: scalar.length)
            self = .scalar(
                YAMLNode.Scalar(
                    text: String(decoding: bytes, as: UTF8.self),
                    isPlain: scalar.style == YAML_PLAIN_SCALAR_STYLE))
        default: return nil
        }
    }
}

extension SourcePlace {
    /// libyaml counts from 0, lines and Unicode scalars.
    fileprivate init(_ mark: yaml_mark_t) {
        self.init(line: Int(mark.line) + 1, column: Int(mark.column) + 1)
    }
}
