import FHIR
import IndivoBase
import OrderedJSON

/// The forms of those Observations of one message that became rows. Observations of the same form differ only
/// in UUID, times and number, as they do when one program wrote them: they are equally valid, and have the
/// same kind, source and participant. The samples that ``sample(_:)`` returns need neither validation nor
/// mapping.
package struct SampleForms {
    /// How many are remembered.
    package static let maximumCount = 8

    /// The members of an Observation that differ.
    private enum Part {
        case id, identifier, moment, period, issued, quantity, other

        init(_ name: ParsedNode) {
            self =
                if name.isString("id") { .id } else if name.isString("identifier") {
                    .identifier
                } else if name.isString("effectiveDateTime") {
                    .moment
                } else if name.isString("effectivePeriod") {
                    .period
                } else if name.isString("issued") {
                    .issued
                } else if name.isString("valueQuantity") { .quantity } else { .other }
        }
    }

    private struct Form {
        /// Holds the text of ``members``.
        let resource: JSONValue
        let members: [(part: Part, member: ParsedMember)]
        let sample: StudySample
        let participant: ParticipantID?
    }

    /// What is read of one Observation.
    private struct Reading {
        var id: ParsedNode?
        var uuid: ParsedNode?
        var start: ParsedNode?
        var end: ParsedNode?
        var issued: ParsedNode?
        var value: Double?
    }

    /// The latest time that a correct clock can show, in microseconds since 1970; `nil` where it is not
    /// known.
    private let latest: Int?
    private var forms: [Form] = []
    /// The index of the next form, and of the last sample's form.
    private var next = 0
    private var current = 0
    /// The identity that is digested; its last bytes are the UUID.
    private var identity = Array((StudySample.identityPrefix + StudySample.visitPrefix).utf8)
    private let uuidStart: Int
    private let visitStart = StudySample.identityPrefix.utf8.count

    /// - Parameter received: When the message was received.
    package init(received: FHIRDateTime) {
        latest = FHIRDateTime(text: ObservedTime.latest(received: received).xml)?.microseconds
        uuidStart = identity.count
        identity += Array(repeating: 0, count: Self.uuidLength)
    }

    /// Remembers the form of an Observation that became a row, instead of the oldest one.
    ///
    /// - Returns: Its number, below ``maximumCount``; `nil` for one that has none.
    package mutating func add(_ resource: JSONValue, _ sample: StudySample, phoneID: String) -> Int? {
        guard let node = resource.parsedNode else { return nil }
        let form = Form(
            resource: resource,
            members: node.members.map { (Part($0.nameValue), $0) },
            sample: sample,
            participant: ParticipantID(phoneID)
        )
        defer { next = (next + 1) % Self.maximumCount }
        if next < forms.count { forms[next] = form } else { forms.append(form) }
        current = next
        return next
    }

    /// The row of an Observation that has one of the forms, and the form's number; `nil` for any other
    /// Observation.
    package mutating func sample(_ resource: JSONValue) -> (sample: StudySample, form: Int)? {
        guard !forms.isEmpty, let node = resource.parsedNode else { return nil }
        defer { withExtendedLifetime(resource) {} }
        for step in forms.indices {
            let index = (current + step) % forms.count
            guard let reading = Self.reading(node, forms[index]) else { continue }
            current = index
            return sample(reading, forms[index]).map { ($0, index) }
        }
        return nil
    }

    // MARK: The form

    /// What an Observation has instead of a form's UUID, times and number; `nil` where anything else differs.
    private static func reading(_ node: ParsedNode, _ form: Form) -> Reading? {
        var reading = Reading()
        var members = node.members
        for (part, other) in form.members {
            guard let member = members.next(), member.nameValue.isWritten(like: other.nameValue) else {
                return nil
            }
            let isRead: Bool
            switch part {
            case .id: isRead = read(member.value, &reading.id)
            case .identifier: isRead = readIdentifier(member.value, other.value, &reading)
            case .moment: isRead = read(member.value, &reading.start)
            case .period: isRead = readPeriod(member.value, other.value, &reading)
            case .issued: isRead = read(member.value, &reading.issued)
            case .quantity: isRead = readQuantity(member.value, other.value, &reading)
            case .other: isRead = member.value.isWritten(like: other.value)
            }
            guard isRead else { return nil }
        }
        return members.next() == nil ? reading : nil
    }

    /// Reads a member into an empty place: of two members with the same name, it is unclear which one counts.
    private static func read(_ node: ParsedNode, _ place: inout ParsedNode?) -> Bool {
        guard place == nil, node.kind == .string else { return false }
        place = node
        return true
    }

    private static func readIdentifier(_ node: ParsedNode, _ other: ParsedNode, _ reading: inout Reading)
        -> Bool
    {
        guard var elements = node.elements, var others = other.elements, let own = elements.next(),
            let model = others.next(), elements.next() == nil, others.next() == nil
        else { return false }
        var models = model.members
        for member in own.members {
            guard let other = models.next(), member.nameValue.isWritten(like: other.nameValue) else {
                return false
            }
            let isRead =
                member.nameValue.isString("value")
                ? read(member.value, &reading.uuid) : member.value.isWritten(like: other.value)
            guard isRead else { return false }
        }
        return models.next() == nil
    }

    private static func readPeriod(_ node: ParsedNode, _ other: ParsedNode, _ reading: inout Reading) -> Bool
    {
        var models = other.members
        for member in node.members {
            guard let other = models.next(), member.nameValue.isWritten(like: other.nameValue) else {
                return false
            }
            let isRead =
                if member.nameValue.isString("start") {
                    read(member.value, &reading.start)
                } else if member.nameValue.isString("end") { read(member.value, &reading.end) } else { false }
            guard isRead else { return false }
        }
        return models.next() == nil
    }

    private static func readQuantity(_ node: ParsedNode, _ other: ParsedNode, _ reading: inout Reading)
        -> Bool
    {
        var models = other.members
        for member in node.members {
            guard let other = models.next(), member.nameValue.isWritten(like: other.nameValue) else {
                return false
            }
            guard member.nameValue.isString("value") else {
                guard member.value.isWritten(like: other.value) else { return false }
                continue
            }
            guard reading.value == nil, member.value.kind == .number else { return false }
            reading.value = member.value.withUTF8 { Self.number($0) } ?? nil
            guard reading.value != nil else { return false }
        }
        return models.next() == nil
    }

    // MARK: Its values

    private mutating func sample(_ reading: Reading, _ form: Form) -> StudySample? {
        guard let start = reading.start.flatMap(Self.time), let offset = start.offset, abs(offset) <= 840,
            let issued = reading.issued.flatMap(Self.time), issued.offset == offset,
            let value = reading.value, let id = id(reading, form.participant)
        else { return nil }
        var end: Int?
        if let node = reading.end {
            guard let time = Self.time(node), time.offset == offset, time.microseconds > start.microseconds
            else { return nil }
            end = time.microseconds
        }
        let last = end ?? start.microseconds
        guard issued.microseconds == last, let latest, last <= latest,
            SampleSplitter.times.contains(start.microseconds)
        else { return nil }
        return StudySample(
            id: id,
            kind: form.sample.kind,
            start: start.microseconds,
            end: end,
            value: value,
            offset: offset,
            source: form.sample.source
        )
    }

    /// A time to the microsecond, with a zone.
    private static func time(_ node: ParsedNode) -> CivilDateTime? {
        guard let time = node.withUTF8({ CivilDateTime(utf8: $0) }) ?? nil, time.kind == .dateTime,
            time.precision == .second, time.second < 60, time.nanosecond % 1000 == 0
        else { return nil }
        return time
    }

    private static let uuidLength = 36
    private static let urn = Array("urn:uuid:".utf8)

    /// The digest of the identity; `nil` if it is not a UUID, differs from the Observation's id, or contains
    /// the participant's id.
    private mutating func id(_ reading: Reading, _ participant: ParticipantID?) -> Int? {
        let isRead = reading.uuid?.withUTF8 { text -> Bool in
            guard text.count == Self.urn.count + Self.uuidLength, text.starts(with: Self.urn) else {
                return false
            }
            for index in 0..<Self.uuidLength { identity[uuidStart + index] = text[Self.urn.count + index] }
            return true
        }
        guard isRead == true, identity[uuidStart...].enumerated().allSatisfy(Self.isOfUUID) else {
            return nil
        }
        if let own = reading.id {
            let isSame = own.withUTF8 { $0.elementsEqual(identity[uuidStart...]) }
            guard isSame == true else { return nil }
        }
        let isParticipant = identity.withUnsafeBufferPointer { bytes in
            participant?.isIn(UnsafeBufferPointer(rebasing: bytes[visitStart...]))
        }
        guard isParticipant != true else { return nil }
        return StudySample.id(ofIdentity: identity)
    }

    private static func isOfUUID(_ index: Int, _ byte: UInt8) -> Bool {
        switch (index, byte) {
        case (8, 0x2D), (13, 0x2D), (18, 0x2D), (23, 0x2D): true
        case (8, _), (13, _), (18, _), (23, _): false
        case (_, 0x30...0x39), (_, 0x41...0x46), (_, 0x61...0x66): true
        default: false
        }
    }

    /// The value of at most fifteen digits with a point, thirteen of them before it: each such number comes
    /// back from its `Double`. `nil` for other numbers.
    private static func number(_ text: UnsafeBufferPointer<UInt8>) -> Double? {
        var digits = 0
        var fraction: Int?
        guard text.count <= 16 else { return nil }
        for byte in text {
            switch byte {
            case 0x30...0x39:
                digits = digits * 10 + Int(byte - 0x30)
                fraction = fraction.map { $0 + 1 }
            case UInt8(ascii: "."): fraction = 0
            default: return nil
            }
        }
        let count = text.count - (fraction == nil ? 0 : 1)
        guard count <= 15, count - (fraction ?? 0) <= 13 else { return nil }
        // Both are exact, and so the quotient is the nearest number.
        return Double(digits) / powers[fraction ?? 0]
    }

    private static let powers: [Double] = (0...15).map { exponent in
        (0..<exponent).reduce(1) { power, _ in power * 10 }
    }
}
