import Foundation

/// The names of files in archives: plain names; no two are the same file on any system.
struct ArchiveNames {
    private var taken: Set<String> = [ArchiveInfo.fileName]

    /// In bytes; drafts on the disk have longer names, and disks take 255.
    static let maximumLength = 200

    /// - Throws: ``StudyError/badName(name:reason:)``.
    mutating func add(_ name: String) throws(StudyError) {
        func refuse(_ reason: String) -> StudyError {
            .badName(name: String(name.prefix(200)), reason: reason)
        }
        guard !name.isEmpty else { throw refuse("it is empty") }
        guard name.utf8.count <= Self.maximumLength else {
            throw refuse("it has more than \(Self.maximumLength) bytes")
        }
        guard name != ".", name != ".." else { throw refuse("it is a folder’s") }
        guard !name.utf8.contains(where: { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "\\") }) else {
            throw refuse("it is a path; files of an archive have plain names")
        }
        guard !name.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) else {
            throw refuse("it has a control character")
        }
        // Apple's disks take ‘a’ for ‘A’, and composed characters for decomposed ones.
        guard taken.insert(name.lowercased().precomposedStringWithCanonicalMapping).inserted else {
            throw refuse(
                name.lowercased() == ArchiveInfo.fileName
                    ? "it is that of the archive’s description" : "it occurs twice"
            )
        }
    }
}
