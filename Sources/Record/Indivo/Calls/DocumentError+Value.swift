extension DocumentError {
    /// What is wrong and where, without the value that stands there.
    package var withoutValue: String {
        guard case .unreadableValue(_, let problem) = reason else { return "\(self)" }
        return "\(document).\(property): expected \(problem.expected)"
    }
}
