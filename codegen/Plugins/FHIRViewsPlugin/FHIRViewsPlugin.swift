import Foundation
import PackagePlugin

/// Makes views of the FHIR profiles in a target's folder `Profiles`, whenever they change, as part of the
/// build.
///
/// The folder holds StructureDefinitions in JSON or XML, packages (`.tgz`) or compiled definitions (`.txt`).
/// The views come in one file that is not checked in. A file `profile2swift.options` in the target holds
/// options of `profile2swift`, such as `--profile URL` and `--name URL=NAME`.
@main
struct FHIRViewsPlugin: BuildToolPlugin {
    func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
        guard let module = target.sourceModule else { return [] }
        return try commands(
            files: module.sourceFiles.map(\.url),
            targetName: module.name,
            tool: context.tool(named: "profile2swift").url,
            folder: context.pluginWorkDirectoryURL
        )
    }

    private func commands(files: [URL], targetName: String, tool: URL, folder: URL) throws -> [Command] {
        let kinds: Set<String> = ["json", "xml", "tgz", "txt"]
        let profiles = files.filter { file in
            file.deletingLastPathComponent().pathComponents.contains("Profiles")
                && kinds.contains(file.pathExtension)
        }
        let options = files.filter { $0.lastPathComponent == "profile2swift.options" }
        if profiles.isEmpty, options.isEmpty {
            Diagnostics.warning(
                "The target \(targetName) uses FHIRViewsPlugin, and has neither definitions in a folder "
                    + "Profiles nor a file profile2swift.options."
            )
            return []
        }
        let output = folder.appending(path: "Views", directoryHint: .isDirectory)
        var arguments = profiles.map(\.path).sorted()
        arguments += ["--output", output.path, "--single-file", "Views", "--quiet"]
        for file in options { arguments += ["--options", file.path] }
        return [
            .buildCommand(
                displayName: "Making views of FHIR profiles for \(targetName)",
                executable: tool,
                arguments: arguments,
                inputFiles: profiles + options,
                outputFiles: [output.appending(path: "Views.swift")]
            )
        ]
    }
}

#if canImport(XcodeProjectPlugin)
import XcodeProjectPlugin

extension FHIRViewsPlugin: XcodeBuildToolPlugin {
    /// The same for a target of an Xcode project.
    func createBuildCommands(context: XcodePluginContext, target: XcodeTarget) throws -> [Command] {
        try commands(
            files: target.inputFiles.map(\.url),
            targetName: target.displayName,
            tool: context.tool(named: "profile2swift").url,
            folder: context.pluginWorkDirectoryURL
        )
    }
}
#endif
