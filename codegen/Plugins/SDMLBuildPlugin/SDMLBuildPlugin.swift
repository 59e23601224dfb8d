import Foundation
import PackagePlugin

/// Makes document classes of the SDML files of a target, whenever they change, as part of the build.
///
/// The classes come in one file that is not checked in. A file `sdml2swift.options` in the target holds
/// options of `sdml2swift`, such as `--prefix My`.
@main
struct SDMLBuildPlugin: BuildToolPlugin {
    func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
        guard let module = target.sourceModule else { return [] }
        return try commands(
            files: module.sourceFiles.map(\.url),
            targetName: module.name,
            tool: context.tool(named: "sdml2swift").url,
            folder: context.pluginWorkDirectoryURL
        )
    }

    private func commands(files: [URL], targetName: String, tool: URL, folder: URL) throws -> [Command] {
        let models = files.filter { $0.pathExtension == "sdml" }
        if models.isEmpty {
            Diagnostics.warning("The target \(targetName) uses SDMLBuildPlugin and has no .sdml file.")
            return []
        }
        let notes = files.filter { $0.lastPathComponent.hasSuffix(".notes.json") }
        let options = files.filter { $0.lastPathComponent == "sdml2swift.options" }
        let output = folder.appending(path: "Documents", directoryHint: .isDirectory)
        var arguments =
            models.map(\.path) + [
                "--output", output.path, "--single-file", "Documents", "--list", listName(of: targetName),
                "--quiet",
            ]
        for file in options { arguments += ["--options", file.path] }
        return [
            .buildCommand(
                displayName:
                    "Making document classes of \(models.map(\.lastPathComponent).joined(separator: ", "))",
                executable: tool,
                arguments: arguments,
                inputFiles: models + notes + options,
                outputFiles: [output.appending(path: "Documents.swift")]
            )
        ]
    }

    /// `SleepDiary` → `sleepDiaryModels`: no two targets extend `IndivoDocument` by the same list.
    private func listName(of target: String) -> String {
        let name = String(target.map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "_" })
        return name.prefix(1).lowercased() + name.dropFirst() + "Models"
    }
}

#if canImport(XcodeProjectPlugin)
import XcodeProjectPlugin

extension SDMLBuildPlugin: XcodeBuildToolPlugin {
    /// The same for a target of an Xcode project.
    func createBuildCommands(context: XcodePluginContext, target: XcodeTarget) throws -> [Command] {
        try commands(
            files: target.inputFiles.map(\.url),
            targetName: target.displayName,
            tool: context.tool(named: "sdml2swift").url,
            folder: context.pluginWorkDirectoryURL
        )
    }
}
#endif
