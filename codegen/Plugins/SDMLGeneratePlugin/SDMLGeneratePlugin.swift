import Foundation
import PackagePlugin

/// Writes document classes for the SDML files of a package's targets into the targets, to be checked in:
/// `swift package --allow-writing-to-package-directory generate-documents`.
///
/// `--target NAME` (which may be repeated) chooses targets; everything else is passed on to `sdml2swift`.
@main
struct SDMLGeneratePlugin: CommandPlugin {
    func performCommand(context: PluginContext, arguments: [String]) async throws {
        var extractor = ArgumentExtractor(arguments)
        let names = extractor.extractOption(named: "target")
        let rest = extractor.remainingArguments
        let targets = names.isEmpty ? context.package.targets : try context.package.targets(named: names)
        let tool = try context.tool(named: "sdml2swift").url
        var count = 0
        for target in targets {
            guard let module = target.sourceModule else { continue }
            let files = files(in: module.directoryURL)
            let models = files.filter { $0.pathExtension == "sdml" }
            if models.isEmpty { continue }
            count += 1
            try run(
                tool,
                for: module.name,
                in: module.directoryURL,
                models: models,
                files: files,
                arguments: rest
            )
        }
        if count == 0 {
            Diagnostics.error(
                names.isEmpty
                    ? "No target of this package has a file ending in .sdml."
                    : "None of the targets \(names.joined(separator: ", ")) has a file ending in .sdml."
            )
        }
    }

    /// As in SDMLBuildPlugin, so that an app may change from one to the other.
    private func listName(of target: String) -> String {
        let name = String(target.map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "_" })
        return name.prefix(1).lowercased() + name.dropFirst() + "Models"
    }

    /// The files in and below a folder, hidden ones left out. The target's own list lacks what its manifest
    /// excludes, as it has to where no build plugin takes the models.
    private func files(in folder: URL) -> [URL] {
        let found = FileManager.default.enumerator(
            at: folder,
            includingPropertiesForKeys: nil,
            options: .skipsHiddenFiles
        )
        return (found?.compactMap { $0 as? URL } ?? []).sorted { $0.path < $1.path }
    }

    private func run(
        _ tool: URL,
        for target: String,
        in folder: URL,
        models: [URL],
        files: [URL],
        arguments: [String]
    ) throws {
        var all = models.map(\.path) + ["--output", folder.appending(path: "Generated").path]
        all += ["--list", listName(of: target), "--command", "'swift package generate-documents'"]
        for file in files where file.lastPathComponent == "sdml2swift.options" {
            all += ["--options", file.path]
        }
        let process = Process()
        process.executableURL = tool
        process.arguments = all + arguments
        try process.run()
        process.waitUntilExit()
        if process.terminationStatus != 0 {
            Diagnostics.error(
                "sdml2swift ended with status \(process.terminationStatus) for the target \(target)."
            )
        }
    }
}

#if canImport(XcodeProjectPlugin)
import XcodeProjectPlugin

extension SDMLGeneratePlugin: XcodeCommandPlugin {
    /// The same for the targets of an Xcode project; the classes go beside a target's first model.
    func performCommand(context: XcodePluginContext, arguments: [String]) throws {
        var extractor = ArgumentExtractor(arguments)
        let names = extractor.extractOption(named: "target")
        let rest = extractor.remainingArguments
        let tool = try context.tool(named: "sdml2swift").url
        for target in context.xcodeProject.targets
        where names.isEmpty || names.contains(target.displayName) {
            let files = target.inputFiles.map(\.url)
            let models = files.filter { $0.pathExtension == "sdml" }
            guard let first = models.first else { continue }
            try run(
                tool,
                for: target.displayName,
                in: first.deletingLastPathComponent(),
                models: models,
                files: files,
                arguments: rest
            )
        }
    }
}
#endif
