import ArgumentParser

extension CompletionKind {
    /// Files of JSON.
    package static var json: CompletionKind { .file(extensions: ["json"]) }
}
