import FHIR

/// A value of a search parameter, escaped as searches want it.
///
/// `,`, `$`, `|` and `\` have a meaning in a search (R4, section 3.1.1.4.0.1). In a text they are escaped, so
/// that a name like `Smith, John` is one name. The URL is percent-encoded in addition.
public struct FHIRSearchValue: Sendable, Hashable, CustomStringConvertible {
    /// The value as it stands in a parameter, before percent-encoding.
    public let description: String

    private init(_ text: String) { description = text }

    /// How a number, date or quantity is compared (R4, section 3.1.1.4.0.2).
    public enum Prefix: String, Sendable, Hashable {
        /// Equal, within the precision given.
        case equal = "eq"
        case notEqual = "ne"
        /// Greater, later.
        case greater = "gt"
        /// Less, earlier.
        case less = "lt"
        /// Greater or equal, not before.
        case atLeast = "ge"
        /// Less or equal, not after.
        case atMost = "le"
        case startsAfter = "sa"
        case endsBefore = "eb"
        /// Approximately the same.
        case approximately = "ap"
    }

    /// A text: without a modifier it matches names that begin with it, in whatever case.
    public static func string(_ text: String) -> Self { Self(escaped(text)) }

    /// A code, identifier or contact point, in whatever system.
    public static func token(_ code: String) -> Self { Self(escaped(code)) }

    /// A code, identifier or contact point of a system; an empty `system` means those without one.
    public static func token(system: FHIRURI, _ code: String) -> Self {
        Self(escaped(system.rawValue) + "|" + escaped(code))
    }

    /// Any code of a system.
    public static func token(system: FHIRURI) -> Self { Self(escaped(system.rawValue) + "|") }

    /// A code that is an enum, such as `ObservationStatus.final`.
    public static func code(_ code: some FHIRCode) -> Self { token(code.code) }

    /// True or false.
    public static func boolean(_ value: Bool) -> Self { Self(value ? "true" : "false") }

    /// A date or part of one, as in `2026-01`.
    public static func date(_ prefix: Prefix = .equal, _ date: FHIRDate) -> Self {
        prefixed(prefix, date.description)
    }

    /// A date with a time and zone.
    public static func dateTime(_ prefix: Prefix = .equal, _ date: FHIRDateTime) -> Self {
        prefixed(prefix, date.description)
    }

    /// A number; its digits are its precision.
    public static func number(_ prefix: Prefix = .equal, _ number: FHIRDecimal) -> Self {
        prefixed(prefix, number.description)
    }

    /// A quantity with a unit of a system, UCUM unless said otherwise; without `code` in whatever unit.
    public static func quantity(
        _ prefix: Prefix = .equal,
        _ value: FHIRDecimal,
        code: String? = nil,
        system: FHIRURI? = .ucum
    ) -> Self {
        guard let code else { return prefixed(prefix, value.description) }
        return prefixed(prefix, "\(value)|\(escaped(system?.rawValue ?? ""))|\(escaped(code))")
    }

    /// A resource: `Patient/7`, an id, or an absolute address.
    public static func reference(_ reference: String) -> Self { Self(escaped(reference)) }

    /// A resource that a reference refers to.
    /// - Returns: A value that finds nothing, where the reference has no address.
    public static func reference(_ reference: Reference<some FHIRResource>) -> Self {
        .reference(reference.reference ?? "")
    }

    /// A URI, as a whole.
    public static func uri(_ uri: FHIRURI) -> Self { Self(escaped(uri.rawValue)) }

    /// Several values of a composite parameter.
    public static func composite(_ values: FHIRSearchValue...) -> Self {
        Self(values.map(\.description).joined(separator: "$"))
    }

    /// A value that is escaped already.
    public static func raw(_ text: String) -> Self { Self(text) }

    private static func prefixed(_ prefix: Prefix, _ text: String) -> Self {
        Self((prefix == .equal ? "" : prefix.rawValue) + text)
    }

    private static func escaped(_ text: String) -> String {
        var result: [UInt8] = []
        for byte in text.utf8 {
            if byte == UInt8(ascii: ",") || byte == UInt8(ascii: "$") || byte == UInt8(ascii: "|")
                || byte == UInt8(ascii: "\\")
            {
                result.append(UInt8(ascii: "\\"))
            }
            result.append(byte)
        }
        return String(decoding: result, as: UTF8.self)
    }
}
