import CBuildCommit

/// The version of the package, here and in no other file of Swift; a test compares README.md and CHANGELOG.md
/// with it.
package enum PackageVersion {
    package static let text = "0.1.0"

    /// The commit that the tool was built from; `nil` where the build was not told.
    package static let commit: String? = {
        // A constant of the program, never null, with a zero byte at its end.
        let text = String(cString: indivo_build_commit())
        return text.isEmpty ? nil : text
    }()
}
