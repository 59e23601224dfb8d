/// The names that archives may have. Untrusted names must not leave the folder into which they are unpacked.
enum ZipName {
    /// - Throws: ``ZipError/badName(name:reason:)``.
    static func check(_ name: String, limits: ZipLimits) throws(ZipError) {
        func refuse(_ reason: String) -> ZipError { .badName(name: String(name.prefix(200)), reason: reason) }
        if name.isEmpty || name == "/" { throw refuse("it is empty") }
        if name.utf8.count > limits.nameLength { throw refuse("it has more than \(limits.nameLength) bytes") }
        if name.utf8.first == UInt8(ascii: "/") { throw refuse("it is absolute") }
        if name.utf8.contains(UInt8(ascii: "\\")) { throw refuse("it has a backslash") }
        if name.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) {
            throw refuse("it has a control character")
        }
        if name.utf8.dropFirst().first == UInt8(ascii: ":") { throw refuse("it names a drive") }
        let path = name.utf8.last == UInt8(ascii: "/") ? name.utf8.dropLast() : name.utf8[...]
        for part in path.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false) {
            if part.isEmpty { throw refuse("a part of it is empty") }
            if part.allSatisfy({ $0 == UInt8(ascii: ".") }), part.count <= 2 {
                throw refuse("it has the part '.' or '..'")
            }
        }
    }

    /// What two entries must not share: the path without the slash that marks a folder.
    static func key(_ name: String) -> String { name.hasSuffix("/") ? String(name.dropLast()) : name }

    /// The text of a name: UTF-8 when it is marked so or reads as such, else the letters of the IBM PC.
    static func decode(_ bytes: [UInt8], isUTF8: Bool) -> String? {
        if let text = String(validating: bytes, as: UTF8.self) { return text }
        return isUTF8
            ? nil
            : String(
                String.UnicodeScalarView(bytes.map { $0 < 128 ? Unicode.Scalar($0) : ibm[Int($0) - 128] })
            )
    }

    /// Code page 437 from 128 on.
    private static let ibm = Array(
        ("ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀"
            + "αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u{A0}").unicodeScalars
    )
}
