/// The version of the package, here and in no other file of Swift; a test compares README.md and CHANGELOG.md
/// with it.
enum PackageVersion {
    static let text = "0.1.0"
}
