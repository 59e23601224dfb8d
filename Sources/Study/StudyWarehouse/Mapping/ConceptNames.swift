import Crypto
import FHIR
import IndivoBase

/// The names that questions and answers have as concepts. Responses and ontology are made with the same ones.
public enum ConceptNames {
    /// The longest code of a concept.
    public static let maximumCodeLength = 50
    /// The longest path of a concept.
    public static let maximumPathLength = 700
    /// Where all surveys hang.
    public static let surveys = #"\Study\Surveys\"#
    /// Where all codes of measurements hang.
    public static let measurements = #"\Study\Measurements\"#
    /// Where what is known of participants hangs.
    public static let demographics = #"\Study\Demographics\"#
    /// Where the modifiers hang.
    static let modifiers = #"\Study\Modifiers\"#

    /// A name for people with 16 digits of the URL's digest, so that nobody finds another URL with it:
    /// `phq9-1f0c2d5be0a94c17`.
    ///
    /// - Parameter canonical: The questionnaire's URL; a version behind `|` is not part of it.
    public static func questionnaire(_ canonical: String) -> String {
        let url = String(canonical.prefix { $0 != "|" })
        let name = url.split(separator: "/").last.map(String.init) ?? "survey"
        let shown = name.utf8.filter(\.isASCIILetterOrDigit).prefix(8)
        return String(decoding: shown, as: UTF8.self) + "-" + digest(url).prefix(16)
    }

    /// The code of a question: `SURVEY:phq9-1f0c2d5be0a94c17:q1`.
    public static func question(_ linkID: String, in questionnaire: String) -> String {
        code("SURVEY", "\(questionnaire):\(coded(linkID))")
    }

    /// The code of an answer to a question: `SURVEY:phq9-1f0c2d5be0a94c17:q1=LA6568-5`.
    public static func answer(_ code: String, to linkID: String, in questionnaire: String) -> String {
        self.code("SURVEY", "\(questionnaire):\(coded(linkID))=\(code)")
    }

    /// A link id without `=`, which stands before the answer.
    private static func coded(_ linkID: String) -> String {
        linkID.replacing("~", with: "~7e").replacing("=", with: "~3d")
    }

    /// A code in a scheme. One that is too long becomes a digest of itself behind `~`, with which no other
    /// code begins.
    public static func code(_ scheme: String, _ code: String) -> String {
        let text = "\(scheme):\(code)"
        guard text.unicodeScalars.count > maximumCodeLength || text.contains("\0") || code.hasPrefix("~")
        else {
            return text
        }
        return "\(scheme):~" + digest(text).prefix(maximumCodeLength - 2 - scheme.utf8.count)
    }

    /// The code of a concept's numbers in a unit that does not convert to the concept's: `LOINC:~unit[IU]~…`.
    /// No other code has `~u` behind its scheme.
    static func code(_ concept: String, inUnit unit: String) -> String {
        let parts = concept.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        let scheme = parts[0]
        let rest = parts.count > 1 ? parts[1] : ""
        let text = "\(scheme):~unit[\(unit)]~\(rest)"
        guard text.unicodeScalars.count > maximumCodeLength || text.contains("\0") else { return text }
        return "\(scheme):~unit~" + digest(text).prefix(maximumCodeLength - 7 - scheme.utf8.count)
    }

    /// The component of a question's path.
    static func component(question linkID: String) -> String {
        linkID.hasPrefix("=") || linkID.hasPrefix("~") ? "~" + linkID : linkID
    }

    /// The component of an answer's path below its question's: no question has it.
    static func component(answer code: String) -> String { "=" + code }

    /// The link id of a question's component; nil for an answer's.
    static func linkID(of component: String) -> String? {
        component.hasPrefix("=") ? nil : component.hasPrefix("~") ? String(component.dropFirst()) : component
    }

    /// A path. Letters, digits, `.` and `-` stand for themselves; everything else is escaped, since `%`, `_`
    /// and `\` mean something where paths are searched.
    public static func path(_ root: String, _ components: [String]) -> String {
        let path = root + components.map { escaped($0) + "\\" }.joined()
        guard path.utf8.count > maximumPathLength else { return path }
        return root + digest(path) + "\\"
    }

    private static func escaped(_ text: String) -> String {
        text.utf8.reduce(into: "") { result, byte in
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E:
                result.unicodeScalars.append(Unicode.Scalar(byte))
            default: result += "~" + Hexadecimal.encode([byte])
            }
        }
    }

    /// The components of a path below a root; `nil` for another path, and for one that became a digest.
    static func components(of path: String, below root: String) -> [String]? {
        guard path != root else { return [] }
        guard path.hasPrefix(root), path.hasSuffix("\\") else { return nil }
        var names: [String] = []
        for part in path.dropFirst(root.count).dropLast().split(
            separator: "\\",
            omittingEmptySubsequences: false
        ) {
            guard let name = unescaped(part) else { return nil }
            names.append(name)
        }
        return names
    }

    /// The path of what a path is in.
    static func parent(of path: String) -> String {
        let above = path.dropLast()
        return String(above[...(above.lastIndex(of: "\\") ?? above.startIndex)])
    }

    private static func unescaped(_ text: Substring) -> String? {
        var bytes: [UInt8] = []
        var rest = text.utf8[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "~") else {
                bytes.append(byte)
                continue
            }
            guard rest.count >= 2,
                let escaped = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16)
            else {
                return nil
            }
            bytes.append(escaped)
            rest = rest.dropFirst(2)
        }
        return String(validating: bytes, as: UTF8.self)
    }

    // MARK: Standard codes

    /// The system of HealthKit's types.
    static let healthKit: FHIRURI = "http://developer.apple.com/documentation/healthkit"

    /// The scheme of a system that research networks share, as in `LOINC`.
    public static func scheme(_ system: String) -> String? { schemes[system] }

    /// The code of a coding: in a shared scheme, or in one of the system's own.
    public static func code(_ coding: Coding) -> String? {
        guard let code = coding.code, !code.isEmpty else { return nil }
        let system = coding.system?.rawValue ?? ""
        if let scheme = schemes[system] { return self.code(scheme, code) }
        if system == healthKit.rawValue, let name = healthKitName(code) {
            return self.code(healthKitScheme, name)
        }
        return self.code("CODE", digest(system).prefix(16) + ":" + code)
    }

    /// The scheme of HealthKit's types.
    static let healthKitScheme = "HEALTHKIT"

    /// A type's identifier as a code: `StepCount`, `category/SleepAnalysis`. No two have the same one.
    private static func healthKitName(_ type: String) -> String? {
        for (prefix, shown) in [
            ("HKQuantityTypeIdentifier", ""), ("HKCategoryTypeIdentifier", "category/"),
            ("HKCorrelationTypeIdentifier", "correlation/"),
        ] where type.hasPrefix(prefix) {
            let name = type.dropFirst(prefix.count)
            return name.isEmpty || name.hasPrefix("HK") || name.contains("/") ? nil : shown + name
        }
        return type.hasPrefix("HK") && !type.contains("/") ? type : nil
    }

    private static let schemes = [
        "http://loinc.org": "LOINC", "http://snomed.info/sct": "SNOMED",
        "http://www.nlm.nih.gov/research/umls/rxnorm": "RXNORM",
        "http://hl7.org/fhir/sid/icd-10-cm": "ICD10CM", "http://hl7.org/fhir/sid/icd-10": "ICD10",
        "http://hl7.org/fhir/sid/icd-9-cm": "ICD9CM", "http://hl7.org/fhir/sid/ndc": "NDC",
        "http://www.ama-assn.org/go/cpt": "CPT4",
    ]

    static func digest(_ text: String) -> String { Hexadecimal.encode(SHA256.hash(data: Array(text.utf8))) }
}
