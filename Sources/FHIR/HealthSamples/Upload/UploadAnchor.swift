import FHIR
import IndivoBase
import OrderedJSON

/// The position of an upload in a file, so that the next run continues there.
///
/// It holds for one target, mapping, choice of samples and file; for another one the upload begins anew,
/// which does no harm. Samples that were refused are remembered and sent again by the next run.
public struct UploadAnchor: Sendable, Hashable {
    /// How many samples of the file were processed.
    public private(set) var position = 0
    /// The positions before it of samples that were refused.
    public private(set) var refused: Set<Int> = []
    private let scope: String
    /// Whether more samples were refused than are remembered: then the position stays where it is.
    private var isHeld = false

    /// More refusals are not remembered: the position stays before the first one that is too many, and the
    /// next run begins there.
    public static let refusalLimit = 10_000

    /// An anchor at the beginning.
    ///
    /// - Parameters:
    ///   - target: The server's base URL and the patient.
    ///   - selection: Which samples of the file are sent.
    ///   - file: What identifies the file, such as a digest of its beginning.
    public init(target: String, mapping: HealthMapping, selection: String, file: String) {
        scope = SHA256Sum.hex(
            Array([target, mapping.fingerprint, selection, file].joined(separator: "\u{1F}").utf8)
        )
    }

    /// Takes over the position of a stored anchor, if it has the same scope.
    /// - Returns: Whether it has.
    public mutating func resume(from json: JSONValue) -> Bool {
        guard json["version"]?.integer == 1, json["scope"]?.string == scope,
            let position = json["position"]?.integer, position >= 0,
            let elements = json["refused"]?.elements, elements.count <= Self.refusalLimit
        else { return false }
        let refused = elements.compactMap(\.integer)
        guard refused.count == elements.count, refused.allSatisfy({ (0..<position).contains($0) }) else {
            return false
        }
        self.position = position
        self.refused = Set(refused)
        return true
    }

    /// The anchor as JSON. It has no data of patients.
    public var json: JSONValue {
        [
            "version": 1, "scope": JSONValue(scope), "position": JSONValue(position),
            "refused": JSONValue(refused.sorted().map { JSONValue($0) }),
        ]
    }

    /// Whether the sample at a position has to be sent.
    public func needs(_ index: Int) -> Bool { index >= position || refused.contains(index) }

    /// Records the outcomes of samples, and that all before `end` were processed.
    public mutating func advance(to end: Int, outcomes: [(index: Int, isRefused: Bool)]) {
        // The members of one sample stand at one position; one refusal is enough for them.
        for (index, isRefused) in outcomes where !isRefused { refused.remove(index) }
        for (index, isRefused) in outcomes where isRefused && (!isHeld || index < position) {
            refused.insert(index)
        }
        if refused.count > Self.refusalLimit {
            let sorted = refused.sorted()
            // The next run begins again at the first one that cannot be remembered.
            position = min(max(position, end), sorted[Self.refusalLimit])
            refused = Set(sorted.prefix(Self.refusalLimit))
            isHeld = true
        } else if !isHeld {
            position = max(position, end)
        }
    }
}

extension HealthMapping {
    /// What identifies a mapping.
    package var fingerprint: String {
        let types = types.sorted { $0.key < $1.key }.map { type, entry in
            let unit = entry.unit.map { "\($0.ucum.code) \($0.text) \($0.accepts ?? "")" } ?? ""
            let codes = entry.codes.map(\.description).joined()
            let words = [
                type, entry.kind.rawValue, entry.display, codes, entry.category ?? "", unit,
                entry.total?.rawValue ?? "",
                entry.values ?? "", entry.members.joined(separator: " "),
            ]
            return words.joined(separator: "\u{1F}")
        }
        let values = values.sorted { $0.key < $1.key }.map { name, values in
            let texts = values.values.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
            return name + values.system + texts.joined(separator: "\u{1F}")
        }
        let workouts = workouts.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
        let metadata = metadataUnits.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value.code)" }
        return [types, values, workouts, metadata].map { $0.joined(separator: "\u{1E}") }.joined(
            separator: "\u{1D}"
        )
    }
}
