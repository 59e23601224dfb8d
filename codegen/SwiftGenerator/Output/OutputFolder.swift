import Foundation

/// The folder that takes generated files. Files in it that were not generated are never touched.
package struct OutputFolder {
    /// What usual file systems take, in bytes.
    private static let maximumNameLength = 255

    let path: String
    /// How every generated file in it begins.
    let marker: String

    package init(path: String, marker: String = GeneratedFile.marker) {
        self.path = path
        self.marker = marker
    }

    /// What has to happen to a folder so that it holds exactly these generated files.
    package struct Plan {
        /// Files to write, because they are missing or say something else.
        package var written: [GeneratedFile] = []
        /// The names of files that are as they should be.
        package var unchanged: [String] = []
        /// The names of files that were generated once and are no longer.
        package var removed: [String] = []

        /// Whether the folder is as it should be.
        package var isEmpty: Bool { written.isEmpty && removed.isEmpty }
    }

    /// What stands in the way of writing, each with the path it is about.
    package struct Failure: Error { package var messages: [String] }

    /// Compares what is there with what should be. It fails where the folder cannot be read, or a file in the
    /// way is another's.
    package func plan(for files: [GeneratedFile]) throws(Failure) -> Plan {
        let exists = path.fileExists
        guard path.isFolder || !exists else {
            throw Failure(messages: ["\(path): error: This is a file; the output goes into a folder."])
        }
        let listing = exists ? try? FileManager.default.contentsOfDirectory(atPath: path) : []
        guard let names = listing.map(Set.init) else {
            throw Failure(messages: ["\(path): error: The folder cannot be read."])
        }
        var plan = Plan()
        var problems: [String] = []
        for file in files {
            if file.name.utf8.count > Self.maximumNameLength {
                problems.append(
                    "\(path)/\(file.name.prefix(40))…: error: A file's name has at most "
                        + "\(Self.maximumNameLength) bytes, this one \(file.name.utf8.count). "
                        + "Notes can choose another name: \"swiftName\"."
                )
                continue
            }
            // By the folder's listing, as a disk that ignores letter case would find a file of another name.
            let content = names.contains(file.name) ? content(of: file.name) : nil
            if content == Data(file.text.utf8) {
                plan.unchanged.append(file.name)
            } else if !names.contains(file.name) || isGenerated(content) {
                plan.written.append(file)
            } else {
                problems.append(
                    "\(path)/\(file.name): error: This file was not generated, and stands where "
                        + "the generator would write. Move it, or choose another folder for the output."
                )
            }
        }
        if !problems.isEmpty { throw Failure(messages: problems) }
        let wanted = Set(files.map(\.name))
        plan.removed = names.filter {
            $0.hasSuffix(".swift") && !wanted.contains($0) && isGenerated(content(of: $0))
        }.sorted()
        return plan
    }

    /// Carries out a plan. New content is first written beside the old, and takes its place only when all of
    /// it is there.
    package func apply(_ plan: Plan) throws(Failure) {
        if plan.isEmpty { return }
        var staged: [(temporary: String, final: String)] = []
        func fail(_ message: String) -> Failure {
            for file in staged { try? FileManager.default.removeItem(atPath: file.temporary) }
            return Failure(messages: [message])
        }
        do {
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
            for (number, file) in plan.written.enumerated() {
                let temporary = "\(path)/.\(number).\(getpid()).new"
                staged.append((temporary, "\(path)/\(file.name)"))
                try Data(file.text.utf8).write(to: URL(filePath: temporary))
            }
        } catch {
            throw fail("\(path): error: The folder cannot be written. Nothing was changed.")
        }
        // Removing first: on a disk that ignores letter case, the old file may be the new one's under another
        // name.
        for name in plan.removed where remove("\(path)/\(name)") != 0 {
            throw fail("\(path)/\(name): error: The file is no longer generated and cannot be removed.")
        }
        for file in staged where rename(file.temporary, file.final) != 0 {
            throw fail("\(file.final): error: The file cannot be replaced.")
        }
    }

    private func content(of name: String) -> Data? { FileManager.default.contents(atPath: "\(path)/\(name)") }

    /// Whether a file begins as generated ones do: with the marker, and with the advice in the same comment.
    private func isGenerated(_ content: Data?) -> Bool {
        guard let content, content.starts(with: marker.utf8) else { return false }
        if marker.hasSuffix("\n") { return true }
        let rest = String(decoding: content.dropFirst(marker.utf8.count).prefix(1 << 16), as: UTF8.self)
        guard rest.hasPrefix(". ") || rest.hasPrefix(" from ") else { return false }
        let end = rest.firstRange(of: "\n\n")?.lowerBound ?? rest.endIndex
        return rest[..<end].replacing("\n// ", with: " ").contains(". Do not edit: ")
    }
}
